import Foundation
import TestSupport
import TestTraits
import Testing

/// Connections that are refused, reset or closed.
@Suite(.endToEnd) struct BrokenConnectionFaultTests {
    private let fetch = FetchUnderTest()

    @Test(
        .fault(18),
        arguments: [
            StubServer.Answer.reset(), .reset(after: "HTTP/1.1 200 OK\r\nContent-Length: 39\r\n\r\n"),
            .reset(after: "HTTP/1.1 200 OK\r\nContent-Length: 39\r\n\r\n{\"symbol\":"), .raw(""),
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 39\r\n\r\n"),
        ])
    func `a broken connection causes an immediate failure and is replaced`(answer: StubServer.Answer) throws {
        let server = StubServer(answer)
        let running = fetch.start(server.url())
        let start = ContinuousClock.now
        #expect(try running.failure(at: 0).kind == .network)
        #expect(ContinuousClock.now - start < .seconds(5))
        server.answer(with: .quote)
        #expect(try running.answer(to: 1).quote != nil)
    }

    @Test(.fault(18))
    func `a connection that is refused, or reset before any answer, causes an immediate failure`() throws {
        let free = Loopback.freePort()
        let proxy = SilentProxy(to: free)
        for port in [free, proxy.port] {
            let url = "http://127.0.0.1:\(port)/price.json"
            let running = fetch.start(url)
            let start = ContinuousClock.now
            for tick in 0..<3 { #expect(try running.failure(at: tick).kind == .network) }
            #expect(ContinuousClock.now - start < .seconds(5))
        }
        #expect(proxy.accepted > 0)
    }

    @Test(.fault(18))
    func `a fallback answers immediately if the primary's server goes away between two ticks`() throws {
        let server = StubServer(.quote)
        let running = fetch.startRescued(server.url(), "--timeout", "4s", "--budget", "5s", "--trip", "0")
        #expect(try running.answer(to: 0).source == "binance")
        // When the server goes away
        server.close()
        // Then the fallback answers before the primary's time limit
        let start = ContinuousClock.now
        let reading = try running.answer(to: 1)
        #expect(reading.source == "fallback" && [.network, .exited].contains(reading.failures.first?.kind))
        #expect(ContinuousClock.now - start < .seconds(3))
    }
}
