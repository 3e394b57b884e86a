import Foundation

/// The server's side of TLS, by the OpenSSL library that libcurl brings along on Linux.
public final class TLSContext: @unchecked Sendable {
    /// Nil where that library is not to be had.
    private static let library = Library()
    private let context: UnsafeMutableRawPointer

    /// - Parameter certificate: the name of one in `Certificates`.
    /// - Returns: nil where the library is not to be had.
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

    /// - Returns: nil after a handshake that has failed.
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
