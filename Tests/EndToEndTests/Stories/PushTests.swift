import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-fetch --push` and the source `echo`, with a real WebSocket server.
@Suite(.endToEnd, .enabled(if: WebSocketServer.isInstalled, "needs websocketd")) struct PushTests {
    private let marked = MarkedProcesses()

    private func feed(_ price: String = "100.25", certificate: String? = nil) -> WebSocketServer {
        let server = WebSocketServer(WebSocketServer.coinbase, certificate: certificate)
        server.folder.write("price", price)
        return server
    }

    private func start(_ words: String..., environment: [String: String] = [:]) -> RunningProgram {
        RunningProgram(
            "price-fetch", words, environment: marked.environment.merging(environment) { $1 })
    }

    @Test func `each tick gets the latest price of the feed`() throws {
        let server = feed()
        let running = start("--push", "--timeout", "10s", "--url", server.url, "coinbase")
        let reading = try running.answer(to: 7)
        #expect(reading.tick == 7 && reading.source == "coinbase" && reading.quote?.price.text == "100.25")
        // When
        server.folder.write("price", "101.50")
        // Then
        #expect(
            running.waitUntil {
                (try? running.answer(to: 8).quote?.price.text) == "101.50"
            })
        #expect(running.finish().status == 0)
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test func `one connection serves all symbols, and a rejected symbol does not affect the others`() throws
    {
        let server = feed()
        let running = start("--push", "--timeout", "10s", "--url", server.url, "coinbase")
        for symbol in ["BTC-USD", "NO-USD", "ETH-USD"] {
            running.write(#"{"tick":1,"symbol":"\#(symbol)"}"# + "\n")
        }
        let readings = try (0..<3).map { _ in try running.nextReading() }
        let refused = try #require(readings.first { $0.symbol?.text == "NO-USD" })
        #expect(refused.failures.map(\.kind) == [.unsupported])
        let quoted = readings.filter { $0.quote != nil }.compactMap { $0.symbol?.text }
        #expect(Set(quoted) == ["BTC-USD", "ETH-USD"])
        #expect(server.folder.contents("connections") == "x\n")
        #expect(running.errors(containing: "coinbase: NO-USD is not supported: Failed to subscribe"))
    }

    @Test func `without TLS, a feed is reached through the proxy set in http_proxy`() throws {
        let proxy = StubServer(.status(403))
        let environment = ["http_proxy": proxy.url(), "no_proxy": ""]
        let running = start(
            "--push", "--timeout", "2s", "--url", "ws://feed.example/", "coinbase", environment: environment)
        #expect(try running.failure().kind == .timeout)
        #expect(proxy.requests.first?.path == "feed.example:80")
    }

    @Test(.enabled(if: FetchUnderTest.hasOpenSSL, "needs openssl"))
    func `a feed over TLS is accepted only if its certificate is signed by a trusted authority`() throws {
        let server = feed(certificate: "good")
        let trusting = ["SSL_CERT_FILE": Certificates.shared.authority]
        let running = start(
            "--push", "--timeout", "10s", "--url", server.url, "coinbase", environment: trusting)
        #expect(try running.answer().quote?.price.text == "100.25")
        // And if the authority is not trusted, the connection fails
        let other = start("--push", "--timeout", "500ms", "--url", server.url, "coinbase")
        let failure = try other.failure()
        #expect(failure.kind == .timeout && failure.message.contains("certificate"))
    }

    @Test(.fault(47))
    func `a fallback answers while the feed is down, and the feed answers again once it is back`() throws {
        let server = feed()
        let fallback = ShellSource.quoting("99.00", as: "poll")
        let running = RunningProgram(
            "price-fallback",
            ["--budget", "2s", "price-fetch --push --max-age 1s --url \(server.url) coinbase", fallback],
            environment: marked.environment)
        #expect(try running.isAnswered(by: "coinbase", after: 0))
        // When
        server.stop()
        // Then
        #expect(try running.isAnswered(by: "poll", after: 100))
        server.start()
        #expect(try running.isAnswered(by: "coinbase", after: 200))
    }

    @Test func `with --push, --once waits for the first price`() throws {
        let server = feed()
        let result = RunningProgram.run(
            "price-fetch", ["--push", "--once", "--timeout", "10s", "--url", server.url, "coinbase"])
        #expect(result.status == 0 && result.lines.count == 1 && result.errors == "")
    }

    @Test func `with the same --seed, the source echo returns the same made-up prices`() throws {
        let server = WebSocketServer("cat")
        func prices() throws -> [String?] {
            let running = start("--timeout", "10s", "--seed", "7", "--url", server.url, "echo")
            return try (0..<5).map { tick in
                running.write(#"{"tick":\#(tick),"symbol":"AAPL"}"# + "\n")
                return try running.nextReading().quote?.price.text
            }
        }
        let first = try prices()
        #expect(!first.contains(nil) && Set(first).count > 1)
        #expect(try prices() == first)
    }
}
