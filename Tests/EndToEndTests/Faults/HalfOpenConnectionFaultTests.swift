import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Connections that fall silent without being closed.
@Suite(.endToEnd) struct HalfOpenConnectionFaultTests {
    private let fetch = FetchUnderTest()
    private let folder = TemporaryFolder()

    private static let canTrustHTTP2 = FetchUnderTest.canTrust && Programs.has("nghttpd")

    private func words(_ url: String, timeout: String) -> [String] {
        fetch.rescued(url, ["--timeout", timeout, "--budget", "5s", "--trip", "0"])
    }

    private func fallsSilentAndRecovers(_ proxy: SilentProxy, _ running: RunningProgram) throws {
        #expect(try running.isAnswered(by: "binance", after: -1))
        let used = proxy.accepted
        // When the connection falls silent without being closed
        proxy.fallSilent()
        // Then the primary times out, and the fallback answers
        for tick in 1...3 {
            let reading = try running.answer(to: tick)
            #expect(reading.source == "fallback" && reading.failures.map(\.kind) == [.timeout])
        }
        // When the network is back, but only for new connections
        proxy.recover()
        // Then the primary answers over a new connection
        let answers = try (4...5).map { try running.answer(to: $0) }
        #expect(answers.contains { $0.source == "binance" }, "\(answers.map(\.text)) \(running.errors)")
        #expect(proxy.accepted > used)
        #expect(running.finish().status == 0)
    }

    @Test(.fault(6))
    func `a half-open connection is replaced when the network is back`() throws {
        let server = StubServer(.quote)
        let proxy = SilentProxy(to: server.port)
        let url = "http://127.0.0.1:\(proxy.port)/price.json"
        try fallsSilentAndRecovers(proxy, fetch.start(words(url, timeout: "500ms")))
        #expect(server.requests.first?.connection == 1 && server.requests.last?.connection != 1)
    }

    @Test(.fault(6), .enabled(if: canTrustHTTP2, "needs unshare, openssl and nghttpd"))
    func `a half-open HTTP/2 connection is replaced when the network is back`() throws {
        let (server, port) = serveHTTP2()
        let proxy = SilentProxy(to: port)
        let url = "https://localhost:\(proxy.port)/price.json"
        try fallsSilentAndRecovers(proxy, fetch.startTrusting(words("\(url) --timeout 1s", timeout: "1s")))
        server.signal(SIGTERM)
    }

    @Test(.fault(6), .enabled(if: canTrustHTTP2, "needs unshare, openssl and nghttpd"))
    func `a half-open HTTP/2 connection is replaced even if ticks overlap`() throws {
        let (server, port) = serveHTTP2()
        let proxy = SilentProxy(to: port)
        let url = "https://localhost:\(proxy.port)/price.json"
        let running = fetch.startTrusting(url, timeout: "800ms")
        #expect(try running.answer(to: 0).quote != nil)
        // When ticks come at intervals shorter than their time limit
        proxy.fallSilent()
        var readings: [Reading] = []
        for tick in 1...60 where readings.last?.quote == nil {
            if tick == 10 { proxy.recover() }
            running.write("{\"tick\":\(tick)}\n")
            while let line = running.readLine(within: .milliseconds(200)) {
                readings.append(try Reading(line: line.utf8))
            }
        }
        // Then at least ten ticks are answered, and the last answer contains a quote
        #expect(readings.last?.quote != nil && readings.count >= 10)
        server.signal(SIGTERM)
    }

    private func serveHTTP2() -> (RunningProgram, port: UInt16) {
        folder.write("price.json", FetchUnderTest.goodBody)
        let port = Loopback.freePort()
        let named = "\(Certificates.shared.folder.path)/good"
        let words = ["-a", "127.0.0.1", "-d", folder.path, "\(port)", "\(named).key", "\(named).pem"]
        let server = RunningProgram("nghttpd", words)
        #expect(server.waitUntil { Loopback.isListening(port) }, "\(server.errors)")
        return (server, port)
    }
}
