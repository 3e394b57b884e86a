import PipeCommon

/// A connection that carries bytes both ways, over TCP or TLS: the port below a WebSocket. It starts to connect when it
/// is made and waits nowhere; the caller's poll loop drives it. `advance` returns what has been received, also when the
/// connection has ended.
protocol ByteStream: AnyObject, Polled where Outcome == [UInt8] {
    var state: ByteStreamState { get }

    /// Whether there may be more to read at once.
    var mayHoldMore: Bool { get }

    /// Sends bytes as soon as the connection is open and takes them.
    func send(_ bytes: [UInt8])
}

enum ByteStreamState: Equatable {
    case connecting
    case open
    /// Why it was not opened, or how it ended; in words for a person.
    case ended(String)
}
