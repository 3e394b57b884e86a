import CCurl
import PipeCommon

/// Tracks the connections that libcurl keeps open and decides which of them may carry a request.
///
/// An idle HTTP/1 connection with unread bytes of an answer is out of sync: the bytes would be taken for the answer to
/// the next request. A connection on which an answer did not arrive in time may be dead; it counts as dead until the
/// answer to another request arrives on it. A connection that is out of sync or counts as dead must not carry a new
/// request.
///
/// Since version 8.0, libcurl itself checks for unread input before it reuses a connection (curl pull request 10690).
/// Pull request 22169 limits this check to once a second for each connection. Debian 12 still ships version 7.88. When
/// all supported systems ship version 8.0 or later, it may be possible to remove `OpenSSLSession.hasDecryptedBytes` and
/// the check of unread bytes in `claim`. The removal has not been tested.
struct Connections {
    private struct Connection {
        /// The connection's endpoints; nil until a request uses the connection.
        var endpoints: Endpoints?
        var answers = 0
        /// Whether the latest answer came over HTTP/2, where every answer identifies its request.
        var isHTTP2 = false
        /// Whether a request on the connection was given up and the connection has not carried an answer since.
        var mayBeDead = false
        /// The number of requests that wait for an answer.
        var waiting = 0
    }

    private var open: [Int32: Connection] = [:]

    mutating func opened(_ socket: Int32) {
        open[socket] = Connection()
    }

    mutating func closed(_ socket: Int32) {
        open[socket] = nil
    }

    func isOpen(_ socket: Int32) -> Bool {
        open[socket] != nil
    }

    func hasAnswered(_ socket: Int32) -> Bool {
        open[socket].map { $0.answers > 0 } ?? false
    }

    /// Claims the connection with these endpoints for a request.
    ///
    /// libcurl sends several requests at the same time only on a connection that it takes for an HTTP/2 connection. If
    /// a server labeled its answer HTTP/2 although HTTP/2 was not negotiated, libcurl would mix up the answers to these
    /// requests. Therefore, unless `mayBeHTTP2` is true, a connection with a waiting request is not claimed.
    ///
    /// - Parameter hasDecryptedBytes: whether TLS holds decrypted bytes of the connection that have not been read.
    /// - Returns: the socket of the connection; nil if the connection is not known or must not carry a request.
    mutating func claim(_ endpoints: Endpoints, isEncrypted: Bool, mayBeHTTP2: Bool, hasDecryptedBytes: Bool)
        -> Int32?
    {
        let socket = open.first { socket, connection in
            (connection.endpoints ?? Endpoints(of: socket)) == endpoints
        }?.key
        guard let socket, let connection = open[socket], !connection.mayBeDead else { return nil }
        if !mayBeHTTP2, connection.waiting > 0 { return nil }
        // After a TLS handshake, a session ticket may stay unread until the first answer is read.
        let mayHoldProtocolBytes = connection.isHTTP2 || isEncrypted && connection.answers == 0
        if !mayHoldProtocolBytes, hasDecryptedBytes || unreadByteCount(of: socket) ?? 0 > 0 { return nil }
        open[socket]?.waiting += 1
        open[socket]?.endpoints = endpoints
        return socket
    }

    /// Records the end of a request on a connection.
    mutating func finished(_ socket: Int32, hasAnswer: Bool, isHTTP2: Bool) {
        open[socket]?.waiting -= 1
        guard hasAnswer else { return }
        open[socket]?.answers += 1
        open[socket]?.isHTTP2 = isHTTP2
        open[socket]?.mayBeDead = false
    }

    /// Records that a request on a connection was given up. If libcurl has left the connection open, as it does with
    /// HTTP/2, the connection is shut down unless another request on it is still waiting for an answer.
    mutating func gaveUp(_ socket: Int32) {
        open[socket]?.waiting -= 1
        open[socket]?.mayBeDead = true
        if open[socket]?.waiting == 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    }
}

/// Both endpoints of a connection, which together identify it among the open connections. The local port is not enough:
/// two connections to different peers may use the same local port.
struct Endpoints: Hashable {
    struct End: Hashable {
        /// The numeric IP address, without a zone.
        let address: String
        let port: Int32

        init(_ address: String, _ port: Int32) {
            (self.address, self.port) = (address, port)
        }
    }

    let local: End
    let peer: End
}

extension Endpoints {
    /// The endpoints of an open socket; nil if the socket is not connected.
    init?(of socket: Int32) {
        guard let local = socketAddress(of: socket, isPeer: false),
            let peer = socketAddress(of: socket, isPeer: true)
        else { return nil }
        self.init(local: End(local.address, local.port), peer: End(peer.address, peer.port))
    }
}

/// Facts about an encrypted connection. They come from the OpenSSL library that libcurl uses, because libcurl itself
/// does not provide them.
@safe struct OpenSSLSession {
    private typealias Pending = @convention(c) (UnsafeMutableRawPointer) -> Int32
    private typealias Selected =
        @convention(c) (
            UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>
        ) -> Void

    private static let pending = unsafe function("SSL_pending", Pending.self)
    private static let selected = unsafe function("SSL_get0_alpn_selected", Selected.self)

    private let session: UnsafeMutableRawPointer

    /// - Returns: nil if the connection does not use TLS, or if libcurl's TLS library is neither OpenSSL nor a fork of
    ///   OpenSSL such as LibreSSL.
    init?(_ easy: CurlEasy) {
        guard let session = unsafe ccurl_openssl_session(easy.handle) else { return nil }
        unsafe self.session = session
    }

    /// Whether OpenSSL holds decrypted bytes that have not been read. `poll` does not report such bytes.
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
