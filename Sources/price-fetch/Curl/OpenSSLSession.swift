import CCurl
import PipeCommon

/// Facts about an encrypted connection that libcurl does not provide. They come from the OpenSSL library that
/// libcurl has loaded.
@safe struct OpenSSLSession {
    private typealias Pending = @convention(c) (UnsafeMutableRawPointer) -> Int32
    private typealias Selected =
        @convention(c) (
            UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>
        ) -> Void

    private static let pending = unsafe function("SSL_pending", Pending.self)
    private static let selected = unsafe function("SSL_get0_alpn_selected", Selected.self)

    private let session: UnsafeMutableRawPointer

    /// - Returns: nil without TLS, or with another TLS library.
    init?(_ easy: CurlEasy) {
        guard let session = unsafe ccurl_openssl_session(easy.handle) else { return nil }
        unsafe self.session = session
    }

    /// Whether OpenSSL holds unread decrypted bytes, which `poll` does not report.
    var hasDecryptedBytes: Bool { unsafe Self.pending.map { unsafe $0(session) > 0 } ?? false }

    /// Whether HTTP/2 was negotiated.
    var isHTTP2: Bool {
        var (name, length): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
        unsafe Self.selected?(session, &name, &length)
        return unsafe UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }

    private static func function<Function>(_ name: String, _ type: Function.Type) -> Function? {
        unsafe dlsym(dlopen(nil, RTLD_LAZY), name).map { unsafe unsafeBitCast($0, to: type) }
    }
}
