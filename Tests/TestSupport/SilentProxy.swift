import Foundation
import Synchronization

/// A TCP proxy on loopback that can fall silent. A silent proxy still receives bytes but does not forward
/// them, and it does not close a connection before the client does. Connections that exist when the proxy
/// recovers stay silent.
public final class SilentProxy: Sendable {
    private struct State {
        var isSilent: Bool
        var accepted = 0
        /// Connections up to this number stay silent after the proxy recovers.
        var silenced = 0
        var received: [UInt8] = []
    }

    public let port: UInt16
    private let listener: Int32
    private let state: Mutex<State>

    /// - Parameter target: a port on loopback; when no process listens there, connections are reset. Without a target,
    ///   the proxy is silent from the start.
    public init(to target: UInt16? = nil) {
        state = Mutex(State(isSilent: target == nil))
        (listener, port) = Loopback.listener()!
        Loopback.accept(on: listener) { [weak self] client in
            self?.pass(client, to: target) ?? Loopback.end(client)
            return self != nil
        }
    }

    deinit { Loopback.stop(listener) }

    /// How many connections were accepted.
    public var accepted: Int { state.withLock { $0.accepted } }

    /// All bytes received from clients.
    public var received: [UInt8] { state.withLock { $0.received } }

    public func fallSilent() { state.withLock { $0.isSilent = true } }

    /// Resumes forwarding, but only for new connections.
    public func recover() { state.withLock { ($0.isSilent, $0.silenced) = (false, $0.accepted) } }

    private func pass(_ client: Int32, to target: UInt16?) {
        state.withLock { $0.accepted += 1 }
        let number = accepted
        Thread.detachNewThread { [weak self] in
            let ends = [client, target.flatMap(Loopback.connection) ?? -1]
            defer { for end in ends where end >= 0 { Loopback.end(end) } }
            if target != nil, ends[1] < 0 { return Loopback.resetAtEnd(client) }
            var polled = ends.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // Check every 50 ms whether the proxy still exists.
            while poll(&polled, 2, 50) >= 0, let self {
                for side in 0...1 where polled[side].revents != 0 {
                    var bytes = [UInt8](repeating: 0, count: 1 << 16)
                    let count = recv(ends[side], &bytes, bytes.count, 0)
                    let isSilent = self.state.withLock { state in
                        if side == 0 { state.received += bytes.prefix(max(0, count)) }
                        return state.isSilent || number <= state.silenced
                    }
                    if isSilent, side == 1, count <= 0 { polled[1].fd = -1 }
                    if isSilent, side == 1 || count > 0 { continue }
                    guard count > 0, Loopback.sendAll(ends[1 - side], bytes.prefix(count)) else { return }
                }
            }
        }
    }
}
