import CCurl
import PipeCommon

/// What libcurl does not tell about an encrypted connection. OpenSSL is asked, which libcurl has brought.
struct OpenSSLSession {
    private typealias Pending = @convention(c) (UnsafeMutableRawPointer) -> Int32
    private typealias Selected =
        @convention(c) (
            UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>
        ) -> Void

    private static let pending = function("SSL_pending", Pending.self)
    private static let selected = function("SSL_get0_alpn_selected", Selected.self)

    private let session: UnsafeMutableRawPointer

    /// - Returns: nil without TLS, and with another TLS library.
    init?(_ easy: OpaquePointer) {
        guard let session = ccurl_openssl_session(easy) else { return nil }
        self.session = session
    }

    /// Whether there are decrypted bytes that no answer has taken. The socket does not show them.
    var hasDecryptedBytes: Bool { Self.pending.map { $0(session) > 0 } ?? false }

    /// Whether both sides have agreed on HTTP/2.
    var isHTTP2: Bool {
        var (name, length): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
        Self.selected?(session, &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }

    private static func function<Function>(_ name: String, _ type: Function.Type) -> Function? {
        dlsym(dlopen(nil, RTLD_LAZY), name).map { unsafeBitCast($0, to: type) }
    }
}
