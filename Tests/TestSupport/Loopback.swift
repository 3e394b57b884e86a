import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
    private let stream = SOCK_STREAM
    private let datagram = SOCK_DGRAM
    private let noSignal: Int32 = 0
#else
    import Glibc
    private let stream = Int32(SOCK_STREAM.rawValue)
    private let datagram = Int32(SOCK_DGRAM.rawValue)
    private let noSignal = Int32(MSG_NOSIGNAL)
#endif

/// The sockets of the servers that tests start on loopback.
public enum Loopback {
    /// Whether connections to a port are accepted.
    public static func isListening(_ port: UInt16) -> Bool {
        let connection = connection(to: port)
        connection.map(end)
        return connection != nil
    }

    /// A socket that listens on a port; 0 stands for any free port.
    static func listener(at host: String = "127.0.0.1", _ port: UInt16 = 0, queue: Int32 = 64) -> (
        socket: Int32, port: UInt16
    ) {
        let listener = tryListener(at: host, port, queue: queue)
        precondition(listener != nil, "no port on loopback")
        return listener!
    }

    /// A socket that listens on a port that is free at every address of this machine.
    static func listenerOnFreePort(at host: String) -> (socket: Int32, port: UInt16) {
        // Another process may take a port between the test that it is free and its use.
        for _ in 0..<100 {
            if let listener = tryListener(at: host, freePort(), queue: 64) { return listener }
        }
        preconditionFailure("no free port at \(host)")
    }

    private static func tryListener(at host: String, _ port: UInt16, queue: Int32) -> (
        socket: Int32, port: UInt16
    )? {
        let listener = newSocket(stream)
        var address = address(host, port)
        let isListening = withPointer(&address) { pointer, size in
            bind(listener, pointer, size) == 0 && listen(listener, queue) == 0
                && getsockname(listener, pointer, &size) == 0
        }
        if isListening { return (listener, UInt16(bigEndian: address.sin_port)) }
        end(listener)
        return nil
    }

    /// A socket that listens on a free port of the IPv6 loopback address; nil on a machine without IPv6.
    static func listenerIPv6() -> (socket: Int32, port: UInt16)? {
        let listener = socket(AF_INET6, stream, 0)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        guard isListening else {
            end(listener)
            return nil
        }
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        return (listener, UInt16(bigEndian: address.sin6_port))
    }

    /// A port on which no process listens, a different one each time. It is below the ports that the system assigns
    /// automatically (from 32768 on), so no other test gets it by chance before it is used.
    public static func freePort() -> UInt16 {
        lastPort.withLock { port in
            repeat { port += 1 } while !isFree(port)
            return port
        }
    }

    /// Concurrent test runs usually start at different ports.
    private static let lastPort = Mutex(UInt16(10_000 + getpid() % 200 * 100))

    private static func isFree(_ port: UInt16) -> Bool {
        let probe = newSocket(stream)
        defer { end(probe) }
        var address = address("127.0.0.1", port)
        return withPointer(&address) { bind(probe, $0, $1) == 0 }
    }

    /// Passes each new connection to `handle`, in a separate thread, until `handle` returns false or the listener is
    /// stopped. Until then the thread owns the listener's descriptor.
    static func accept(on listener: Int32, _ handle: @escaping @Sendable (Int32) -> Bool) {
        Thread.detachNewThread {
            var connection: Int32
            repeat {
                connection = acceptOne(listener)
            } while connection >= 0 && handle(connection)
            #if !canImport(Darwin)
                end(listener)
            #endif
        }
    }

    static func stop(_ listener: Int32) {
        shutdown(listener, Int32(SHUT_RDWR))
        #if canImport(Darwin)
            end(listener)
        #endif
    }

    static func connection(to port: UInt16) -> Int32? {
        let connection = newSocket(stream)
        var address = address("127.0.0.1", port)
        if withPointer(&address, { connect(connection, $0, $1) == 0 }) { return connection }
        end(connection)
        return nil
    }

    /// Starts to connect, without waiting for the connection.
    static func startConnecting(to host: String, _ port: UInt16) -> Int32 {
        let connection = newSocket(stream)
        _ = fcntl(connection, F_SETFL, O_NONBLOCK)
        var address = address(host, port)
        _ = withPointer(&address) { connect(connection, $0, $1) == 0 }
        return connection
    }

    /// A socket that receives datagrams; nil if the address cannot be bound.
    static func datagrams(at host: String, _ port: UInt16) -> Int32? {
        let receiver = newSocket(datagram)
        var address = address(host, port)
        if withPointer(&address, { bind(receiver, $0, $1) == 0 }) { return receiver }
        end(receiver)
        return nil
    }

    static func sendAll(_ connection: Int32, _ bytes: some Sequence<UInt8>) -> Bool {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, noSignal) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    static func end(_ socket: Int32) {
        close(socket)
    }

    /// Makes closing this connection send a reset.
    static func resetAtEnd(_ connection: Int32) {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    }

    private static func acceptOne(_ listener: Int32) -> Int32 {
        #if canImport(Darwin)
            let connection = Darwin.accept(listener, nil, nil)
        #else
            let connection = Glibc.accept(listener, nil, nil)
        #endif
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        // Send each piece immediately.
        var isOn: Int32 = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return connection
    }

    private static func newSocket(_ kind: Int32) -> Int32 {
        let new = socket(AF_INET, kind, 0)
        _ = fcntl(new, F_SETFD, FD_CLOEXEC)
        return new
    }

    private static func address(_ host: String, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        address.sin_port = port.bigEndian
        return address
    }

    private static func withPointer(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Bool
    ) -> Bool {
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
        }
    }
}
