import Foundation

/// Certificates made with openssl, and the authority that signed all of them except the self-signed certificate.
public final class Certificates: Sendable {
    public static let shared = Certificates()

    public let folder = TemporaryFolder()

    /// The path of the certificate that a client must trust.
    public var authority: String { "\(folder.path)/authority.pem" }

    private init() {
        let command = """
            set -eu
            cd "$FOLDER"
            key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
            openssl req -x509 "${key[@]}" -keyout authority.key -out authority.pem -days 2 -subj /CN=authority
            make() {
                openssl req "${key[@]}" -keyout "$1.key" -out "$1.csr" -subj "/CN=$2"
                echo "subjectAltName=DNS:$2" >"$1.names"
                openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -CAcreateserial \\
                    -out "$1.pem" -days "$3" -extfile "$1.names"
            }
            make good localhost 2
            make expired localhost -1
            make other example.com 2
            openssl req -x509 "${key[@]}" -keyout self-signed.key -out self-signed.pem -days 2 \\
                -subj /CN=localhost -addext subjectAltName=DNS:localhost
            """
        let result = RunningProgram.shell(command, environment: ["FOLDER": folder.path])
        precondition(result.status == 0, "no certificates: \(result.errors)")
    }
}

/// `openssl s_server` with one of the certificates; it serves files that contain whole answers, header and body.
public final class TLSServer {
    public let port: UInt16
    private let running: RunningProgram

    public init(_ certificate: String, files: TemporaryFolder) {
        let named = "\(Certificates.shared.folder.path)/\(certificate)"
        let command = "cd \"$1\" && exec openssl s_server -accept 127.0.0.1:0 -cert $0.pem -key $0.key -HTTP"
        running = RunningProgram("bash", ["-c", command, named, files.path])
        var line: String? = ""
        while line?.hasPrefix("ACCEPT ") == false { line = running.readLine() }
        port = (line?.split(separator: ":").last).flatMap { UInt16($0) } ?? 0
    }
}

/// Server-side TLS, through the OpenSSL library, which libcurl uses on most Linux systems.
public final class TLSContext: @unchecked Sendable {
    fileprivate let context: UnsafeMutableRawPointer

    /// - Parameter certificate: the name of a certificate in `Certificates`.
    /// - Returns: nil if the library is not available.
    public init?(_ certificate: String) {
        guard let library = Library.shared, let context = library.newContext(library.serverMethod()) else {
            return nil
        }
        self.context = context
        let named = "\(Certificates.shared.folder.path)/\(certificate)"
        let isReady =
            library.useCertificates(context, "\(named).pem") == 1
            && library.useKey(context, "\(named).key", 1) == 1
        precondition(isReady, "no certificate \(certificate)")
        signal(SIGPIPE, SIG_IGN)
    }

    public static var isAvailable: Bool { Library.shared != nil }
}

/// The functions of libssl that a test server calls.
private struct Library: @unchecked Sendable {
    typealias Object = UnsafeMutableRawPointer
    typealias Path = UnsafePointer<CChar>

    /// Nil if the library is not available.
    static let shared = file == nil ? nil : Library()
    nonisolated(unsafe) private static let file = dlopen("libssl.so.3", RTLD_NOW)

    let serverMethod: @convention(c) () -> Object? = function("TLS_server_method")
    let newContext: @convention(c) (Object?) -> Object? = function("SSL_CTX_new")
    let useCertificates: @convention(c) (Object, Path) -> Int32 = function(
        "SSL_CTX_use_certificate_chain_file")
    let useKey: @convention(c) (Object, Path, Int32) -> Int32 = function("SSL_CTX_use_PrivateKey_file")
    let newSession: @convention(c) (Object) -> Object? = function("SSL_new")
    let setSocket: @convention(c) (Object, Int32) -> Int32 = function("SSL_set_fd")
    let accept: @convention(c) (Object) -> Int32 = function("SSL_accept")
    let read: @convention(c) (Object, UnsafeMutableRawPointer, Int32) -> Int32 = function("SSL_read")
    let write: @convention(c) (Object, UnsafeRawPointer, Int32) -> Int32 = function("SSL_write")
    let free: @convention(c) (Object) -> Void = function("SSL_free")

    private static func function<Function>(_ name: String) -> Function {
        unsafeBitCast(dlsym(file, name)!, to: Function.self)
    }
}

/// A server's connection, plain or encrypted.
struct Wire {
    let socket: Int32
    private var session: Library.Object?
    private let library = Library.shared

    /// - Returns: nil if the TLS handshake fails.
    init?(_ socket: Int32, _ encryption: TLSContext?) {
        self.socket = socket
        guard let encryption else { return }
        guard let library, let session = library.newSession(encryption.context) else { return nil }
        self.session = session
        _ = library.setSocket(session, socket)
        guard library.accept(session) == 1 else {
            end()
            return nil
        }
    }

    func receive() -> UInt8? {
        var byte: UInt8 = 0
        let count = session.map { library!.read($0, &byte, 1) } ?? Int32(recv(socket, &byte, 1, 0))
        return count == 1 ? byte : nil
    }

    /// Receives a request up to its empty line and returns its lines, or nil if the connection ends first.
    func receiveHead() -> [String]? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = receive() else { return nil }
            head.append(byte)
        }
        return String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    }

    /// Sends the bytes. On an encrypted connection, they are sent with a single TLS write.
    ///
    /// - Returns: whether all bytes were sent.
    func send(_ bytes: [UInt8]) -> Bool {
        guard let session else { return Loopback.sendAll(socket, bytes) }
        return bytes.isEmpty || library!.write(session, bytes, Int32(bytes.count)) == Int32(bytes.count)
    }

    func end() { session.map { library!.free($0) } }
}
