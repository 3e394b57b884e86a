import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// How the connection of a request is found among several open connections.
@Suite(.unit) struct ConnectionsTests {
    private func loopback(_ port: in_port_t) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port
        return address
    }

    /// A socket bound to an address that other sockets may share.
    private func bound(to address: sockaddr_in) -> Int32 {
        #if canImport(Darwin)
            let new = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let new = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var (address, yes) = (address, Int32(1))
        setsockopt(new, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(new, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<Int32>.size))
        #expect(pointer(to: &address) { bind(new, $0, $1) } == 0)
        return new
    }

    private func pointer(
        to address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32
    ) -> Int32 {
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
        }
    }

    @Test(.fault(37)) func `two connections from one local port are distinguished by their peers`() throws {
        // Given a local port that two connections share
        let (first, second) = (StubServer(.silence), StubServer(.silence))
        var local = sockaddr_in()
        let one = bound(to: loopback(0))
        _ = pointer(to: &local) { getsockname(one, $0, &$1) }
        let other = bound(to: local)
        defer { for connection in [one, other] { close(connection) } }
        var sut = Connections()
        for (socket, peer) in [(one, first.port), (other, second.port)] {
            var address = loopback(peer.bigEndian)
            #expect(pointer(to: &address) { connect(socket, $0, $1) } == 0)
            sut.opened(socket)
        }
        // When each connection is looked up by its two endpoints, in the form that libcurl reports
        for (socket, peer) in [(one, first.port), (other, second.port)] {
            let endpoints = Endpoints(
                local: .init("127.0.0.1", Int32(UInt16(bigEndian: local.sin_port))),
                peer: .init("127.0.0.1", Int32(peer)))
            let claimed = (1...2).map { _ in
                sut.claim(endpoints, isEncrypted: false, mayBeHTTP2: false, hasDecryptedBytes: false)
            }
            // Then the socket of this connection is found, but only for one request at a time
            #expect(claimed == [socket, nil] && !sut.hasAnswered(socket))
        }
    }
}
