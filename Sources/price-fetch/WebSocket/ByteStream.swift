import PipeCommon

/// A two-way byte connection over TCP or TLS: the transport of a WebSocket. It starts to connect when it is created. It
/// must not block: the caller's poll loop drives it. `advance` returns the bytes received, even if the connection has
/// ended.
protocol ByteStream: AnyObject, Polled where Outcome == [UInt8] {
    var state: ByteStreamState { get }

    /// Whether more bytes may be readable immediately.
    var mayHoldMore: Bool { get }

    /// Sends bytes as soon as the connection is open and accepts them.
    func send(_ bytes: [UInt8])
}

enum ByteStreamState: Equatable {
    case connecting
    case open
    /// The text says why the connection was not opened, or how it ended.
    case ended(String)
}
