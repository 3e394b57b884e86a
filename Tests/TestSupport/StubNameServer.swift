import Foundation
import Synchronization

/// A name server that has its own loopback address and resolves every name to the same addresses, by default
/// only 127.0.0.1. It is silent until `answer` is called.
public final class StubNameServer: Sendable {
    private struct State {
        var count = 0
        /// Nil while the server is silent.
        var answer: (delay: Duration, addresses: [[UInt8]])?
    }

    public let address: String
    private let receiver: Int32
    private let state = Mutex(State())

    /// - Returns: nil if port 53 cannot be bound, for example without root privileges.
    public init?() {
        address = "127.53.\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
        guard let receiver = Loopback.datagrams(at: address, 53) else { return nil }
        self.receiver = receiver
        Thread.detachNewThread { [weak self] in
            defer { Loopback.end(receiver) }
            var polled = pollfd(fd: receiver, events: Int16(POLLIN), revents: 0)
            // Check every 50 ms whether the server still exists.
            while poll(&polled, 1, 50) >= 0, let self { if polled.revents != 0 { self.serve() } }
        }
    }

    /// How many queries have arrived.
    public var asked: Int { state.withLock { $0.count } }

    /// Makes the server answer all further queries with the given addresses.
    public func answer(after delay: Duration = .zero, _ addresses: [UInt8]...) {
        state.withLock { $0.answer = (delay, addresses.isEmpty ? [[127, 0, 0, 1]] : addresses) }
    }

    public func fallSilent() { state.withLock { $0.answer = nil } }

    private func serve() {
        var (question, client) = ([UInt8](repeating: 0, count: 512), sockaddr_in())
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let length = withUnsafeMutablePointer(to: &client) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                recvfrom(receiver, &question, question.count, 0, $0, &size)
            }
        }
        let answer = state.withLock { state in
            if length > 16 { state.count += 1 }
            return state.answer
        }
        guard length > 16, let answer else { return }
        let bytes = Self.answer(to: question, answer.addresses)
        Thread.detachNewThread { [receiver, client] in
            usleep(UInt32(answer.delay / .microseconds(1)))
            Self.send(bytes, to: client, receiver)
        }
    }

    private static func send(_ bytes: [UInt8], to asker: sockaddr_in, _ receiver: Int32) {
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafePointer(to: asker) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { asker in
                _ = sendto(receiver, bytes, bytes.count, 0, asker, size)
            }
        }
    }

    /// An answer as in RFC 1035: a header, the question and, if IPv4 addresses are requested, the addresses.
    private static func answer(to question: [UInt8], _ addresses: [[UInt8]]) -> [UInt8] {
        let nameEnd = question[12...].firstIndex(of: 0)!
        let isOfIPv4 = question[nameEnd + 2] == 1
        let count = isOfIPv4 ? UInt8(addresses.count) : 0
        let header = question[..<2] + [0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0]
        let record: [UInt8] = [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4]
        let records = Array(addresses.map { record + $0 }.joined())
        return header + question[12...(nameEnd + 4)] + (isOfIPv4 ? records : [])
    }
}

/// A port on a loopback address that drops the packets of new connections, as a firewall might. The port's
/// accept queue is full, and no process accepts connections from the queue.
public final class DeadAddress: Sendable {
    private let sockets: [Int32]

    public init(at host: String, port: UInt16) {
        var listener = Loopback.listener(at: host, port, queue: 0)
        // A process that is being started at the same time may hold the port for a moment: it may have inherited a
        // socket that was bound to the port, for example the socket of a check whether the port was free.
        for _ in 0..<1000 where listener == nil {
            usleep(1000)
            listener = Loopback.listener(at: host, port, queue: 0)
        }
        let waiting = (0..<4).map { _ in Loopback.startConnecting(to: host, port) }
        sockets = [listener!.socket] + waiting
    }

    deinit { for socket in sockets { Loopback.end(socket) } }
}
