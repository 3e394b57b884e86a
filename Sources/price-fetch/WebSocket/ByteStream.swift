import PipeCommon

/// A connection that carries bytes both ways, over TCP or TLS: the port below a WebSocket. It starts to connect when it
/// is made and waits nowhere; the caller's poll loop drives it.
protocol ByteStream: AnyObject, Polled where Outcome == Void {
    var state: ByteStreamState { get }

    /// Whether there may be more to read at once.
    var mayHoldMore: Bool { get }

    /// Sends bytes as soon as the connection takes them. They must not be sent before it is open.
    func send(_ bytes: [UInt8])

    /// What has been received since the last call. There may be some left when the connection has ended.
    func takeInput() -> [UInt8]
}

enum ByteStreamState: Equatable {
    case connecting
    case open
    /// Why it was not opened, or how it ended; in words for a person.
    case ended(String)
}
