import PipeCommon

/// The connections that libcurl has open, and which of them may carry a request.
///
/// An idle connection that has something to say is out of step: those bytes would be taken for the next answer. One on
/// which an answer did not come in time may be dead. Neither is used again.
struct Connections {
    private struct Connection {
        /// Known once it has carried a request.
        var endpoints: Endpoints?
        var answers = 0
        /// HTTP/2, where an answer names its request and cannot be mistaken.
        var isHTTP2 = false
        /// A request on it was given up, and no answer has arrived since.
        var mayBeDead = false
        /// How many requests wait for their answers.
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

    /// Takes a request on the connection with these ends.
    ///
    /// Only HTTP/2 carries a request beside another. libcurl also sends one where a server has
    /// only called its answer that, and mistakes the answers.
    ///
    /// - Parameter hasDecryptedBytes: whether TLS holds bytes of it that no answer has taken.
    /// - Returns: its socket; nil when the connection must not carry a request.
    mutating func claim(_ endpoints: Endpoints, isEncrypted: Bool, mayBeHTTP2: Bool, hasDecryptedBytes: Bool)
        -> Int32?
    {
        let socket = open.first { socket, connection in
            (connection.endpoints ?? Endpoints(of: socket)) == endpoints
        }?.key
        guard let socket, let connection = open[socket], !connection.mayBeDead else { return nil }
        if !mayBeHTTP2, connection.waiting > 0 { return nil }
        // After a TLS handshake a session ticket may wait, until the first answer is read.
        let mayHoldProtocolBytes = connection.isHTTP2 || isEncrypted && connection.answers == 0
        if !mayHoldProtocolBytes, hasDecryptedBytes || unreadByteCount(of: socket) ?? 0 > 0 { return nil }
        open[socket]?.waiting += 1
        open[socket]?.endpoints = endpoints
        return socket
    }

    /// A request on it has ended.
    mutating func finished(_ socket: Int32, hasAnswer: Bool, isHTTP2: Bool) {
        open[socket]?.waiting -= 1
        guard hasAnswer else { return }
        open[socket]?.answers += 1
        open[socket]?.isHTTP2 = isHTTP2
        open[socket]?.mayBeDead = false
    }

    /// A request on it was given up. A connection that is still open after that is shared: it is ended when no other
    /// request waits on it.
    mutating func gaveUp(_ socket: Int32) {
        open[socket]?.waiting -= 1
        open[socket]?.mayBeDead = true
        if open[socket]?.waiting == 0 { shutdown(socket, Int32(SHUT_RDWR)) }
    }
}

/// Both ends of a connection, which no other open connection has. The port of one end is not enough: two connections to
/// different peers may share a local port.
struct Endpoints: Hashable {
    struct End: Hashable {
        /// In numbers, without a zone.
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
    /// Those of an open socket.
    init?(of socket: Int32) {
        guard let local = socketAddress(of: socket, isPeer: false),
            let peer = socketAddress(of: socket, isPeer: true)
        else { return nil }
        self.init(local: End(local.address, local.port), peer: End(peer.address, peer.port))
    }
}
