/// A port on a loopback address that drops every packet of a new connection, like a host whose firewall does so: its
/// queue of connections is full, and no process accepts them.
public final class DeadAddress: Sendable {
    private let sockets: [Int32]

    public init(at host: String, port: UInt16) {
        let (listener, _) = Loopback.listener(at: host, port, queue: 0)
        let waiting = (0..<4).map { _ in Loopback.startConnecting(to: host, port) }
        sockets = [listener] + waiting
    }

    deinit {
        for socket in sockets { Loopback.end(socket) }
    }
}
