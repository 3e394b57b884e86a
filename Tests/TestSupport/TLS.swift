import Foundation

/// Certificates made with openssl, and the authority that signed all of them except the self-signed certificate.
public final class Certificates: Sendable {
    public static let shared = Certificates()

    public let folder = TemporaryFolder()

    /// The certificate that a client must trust.
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

/// Server-side TLS, through the OpenSSL library that is installed with libcurl on Linux.
public final class TLSContext: @unchecked Sendable {
    /// Nil if the library is not available.
    private static let library = Library()
    private let context: UnsafeMutableRawPointer

    /// - Parameter certificate: the name of a certificate in `Certificates`.
    /// - Returns: nil if the library is not available.
    public init?(_ certificate: String) {
        guard let library = Self.library, let context = library.newContext(library.serverMethod()) else {
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

    public static var isAvailable: Bool { library != nil }

    /// - Returns: nil if the handshake fails.
    func accept(_ socket: Int32) -> Session? {
        guard let library = Self.library, let session = library.newSession(context) else { return nil }
        _ = library.setSocket(session, socket)
        if library.accept(session) == 1 { return Session(library: library, session: session) }
        library.free(session)
        return nil
    }

    struct Session {
        fileprivate let library: Library
        fileprivate let session: UnsafeMutableRawPointer

        func receive(_ byte: inout UInt8) -> Int32 { library.read(session, &byte, 1) }

        func send(_ bytes: [UInt8]) -> Bool {
            library.write(session, bytes, Int32(bytes.count)) == Int32(bytes.count)
        }

        func end() { library.free(session) }
    }

    /// The functions of libssl that are used here.
    fileprivate final class Library: @unchecked Sendable {
        typealias Pointer = UnsafeMutableRawPointer

        let serverMethod: @convention(c) () -> Pointer?
        let newContext: @convention(c) (Pointer?) -> Pointer?
        let useCertificates: @convention(c) (Pointer, UnsafePointer<CChar>) -> Int32
        let useKey: @convention(c) (Pointer, UnsafePointer<CChar>, Int32) -> Int32
        let newSession: @convention(c) (Pointer) -> Pointer?
        let setSocket: @convention(c) (Pointer, Int32) -> Int32
        let accept: @convention(c) (Pointer) -> Int32
        let read: @convention(c) (Pointer, UnsafeMutableRawPointer, Int32) -> Int32
        let write: @convention(c) (Pointer, UnsafeRawPointer, Int32) -> Int32
        let free: @convention(c) (Pointer) -> Void

        init?() {
            guard let library = dlopen("libssl.so.3", RTLD_NOW) else { return nil }
            func function<T>(_ name: String, _ type: T.Type = T.self) -> T {
                unsafeBitCast(dlsym(library, name)!, to: type)
            }
            serverMethod = function("TLS_server_method")
            newContext = function("SSL_CTX_new")
            useCertificates = function("SSL_CTX_use_certificate_chain_file")
            useKey = function("SSL_CTX_use_PrivateKey_file")
            newSession = function("SSL_new")
            setSocket = function("SSL_set_fd")
            accept = function("SSL_accept")
            read = function("SSL_read")
            write = function("SSL_write")
            free = function("SSL_free")
        }
    }
}

/// A server's connection, plain or encrypted.
struct Wire {
    let socket: Int32
    private let session: TLSContext.Session?

    /// - Returns: nil if the TLS handshake fails.
    init?(_ socket: Int32, _ encryption: TLSContext?) {
        self.socket = socket
        session = encryption?.accept(socket)
        if encryption != nil, session == nil { return nil }
    }

    func receive() -> UInt8? {
        var byte: UInt8 = 0
        let count = session.map { $0.receive(&byte) } ?? Int32(recv(socket, &byte, 1, 0))
        return count == 1 ? byte : nil
    }

    /// Sends bytes, on an encrypted connection with a single TLS write.
    func send(_ bytes: [UInt8]) -> Bool {
        session.map { bytes.isEmpty || $0.send(bytes) } ?? Loopback.sendAll(socket, bytes)
    }

    func end() {
        session?.end()
    }
}
