import Foundation
import Synchronization

#if canImport(Darwin)
    private let stream = SOCK_STREAM
    private let datagram = SOCK_DGRAM
    private let noSignal: Int32 = 0
#else
    private let stream = Int32(SOCK_STREAM.rawValue)
    private let datagram = Int32(SOCK_DGRAM.rawValue)
    private let noSignal = Int32(MSG_NOSIGNAL)
#endif

/// Sockets on loopback, for the servers and clients in tests.
public enum Loopback {
    /// Whether connections to a port are accepted.
    public static func isListening(_ port: UInt16) -> Bool {
        let connection = connection(to: port)
        connection.map(end)
        return connection != nil
    }

    /// A socket that listens on a port, or on any free port if `port` is 0.
    ///
    /// - Returns: the socket and its port; nil if the port is taken or `host` is not an address of this machine.
    static func listener(at host: String = "127.0.0.1", _ port: UInt16 = 0, queue: Int32 = 64) -> Listener? {
        let listener = open(stream, host, port) { bind($0, $1, $2) == 0 && listen($0, queue) == 0 }
        return listener.map { ($0, self.port(of: $0)) }
    }

    typealias Listener = (socket: Int32, port: UInt16)

    /// A socket that listens at `host`, on a port that was also free at 127.0.0.1.
    static func listenerOnFreePort(at host: String) -> Listener {
        // Another process may take the port after it was found to be free and before it is used.
        for _ in 0..<100 { if let listener = listener(at: host, freePort()) { return listener } }
        preconditionFailure("no free port at \(host)")
    }

    /// A port on which no process listens. Each call returns a different port. The port is below the range from which
    /// the system assigns ports automatically (on Linux, this range usually begins at 32768), so the system does not
    /// assign the port to another test before it is used.
    public static func freePort() -> UInt16 {
        lastPort.withLock { port in
            repeat { port += 1 } while !isFree(port)
            return port
        }
    }

    /// Concurrent test runs usually start at different ports.
    private static let lastPort = Mutex(UInt16(10_000 + getpid() % 200 * 100))

    private static func isFree(_ port: UInt16) -> Bool {
        open(stream, "127.0.0.1", port) { bind($0, $1, $2) == 0 }.map(end) != nil
    }

    /// Starts a thread that passes each new connection to `handle` until `handle` returns false or the
    /// listener is stopped. Then the thread closes the listener, except on macOS, where `stop` closes it.
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
        open(stream, "127.0.0.1", port) { connect($0, $1, $2) == 0 }
    }

    /// Starts to connect, without waiting for the connection.
    static func startConnecting(to host: String, _ port: UInt16) -> Int32 {
        open(stream, host, port) { socket, address, size in
            _ = fcntl(socket, F_SETFL, O_NONBLOCK)
            _ = connect(socket, address, size)
            return true
        }!
    }

    /// A socket that receives datagrams; nil if the address cannot be bound.
    static func datagrams(at host: String, _ port: UInt16) -> Int32? {
        open(datagram, host, port) { bind($0, $1, $2) == 0 }
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

    static func end(_ socket: Int32) { close(socket) }

    /// Makes the connection send a reset when it is closed.
    static func resetAtEnd(_ connection: Int32) {
        var atOnce = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
    }

    private static func acceptOne(_ listener: Int32) -> Int32 {
        let connection = Foundation.accept(listener, nil, nil)
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        // Without this option, the system might hold back a small piece of an answer and send it with the next piece.
        var isOn: Int32 = 1
        setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return connection
    }

    /// Opens a socket and calls `use` with the socket and the address. Returns the socket, or nil if `use` fails. The
    /// only supported IPv6 address is the loopback address.
    private static func open(
        _ kind: Int32, _ host: String, _ port: UInt16,
        _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Int32? {
        let isIPv6 = host.contains(":")
        let new = socket(isIPv6 ? AF_INET6 : AF_INET, kind, 0)
        _ = fcntl(new, F_SETFD, FD_CLOEXEC)
        var (address, address6) = (sockaddr_in(), sockaddr_in6())
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        address.sin_port = port.bigEndian
        address6.sin6_family = sa_family_t(AF_INET6)
        address6.sin6_addr = in6addr_loopback
        address6.sin6_port = port.bigEndian
        let isUsable =
            isIPv6
            ? withPointer(to: &address6) { use(new, $0, $1) } : withPointer(to: &address) { use(new, $0, $1) }
        if isUsable { return new }
        end(new)
        return nil
    }

    private static func withPointer<Address>(
        to address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
    ) -> Bool {
        withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    /// The port of a listener. IPv4 and IPv6 socket addresses contain the port at the same offset.
    private static func port(of listener: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(listener, $0, &size) }
            return UInt16(bigEndian: $0.pointee.sin6_port)
        }
    }
}
