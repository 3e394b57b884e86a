import Foundation
import PipeCommon
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// `price-fetch` as a program, against a real HTTP server on loopback.
@Suite(.endToEnd) struct FetchProgramTests {
    private let good = #"{"symbol":"BTCUSDT","price":"68901.23000000"}"#

    private func once(_ server: StubServer, _ words: String..., environment: [String: String] = [:])
        -> RunningProgram.Result
    {
        RunningProgram.run(
            "price-fetch", ["--once", "--url", server.url()] + words, environment: environment)
    }

    private func failure(_ result: RunningProgram.Result) throws -> Failure {
        #expect(result.status == 69 && result.lines.count == 1 && result.errors == "")
        return try #require(try result.readings().first?.failures.first)
    }

    @Test func `--once prints one reading without reading ticks`() throws {
        let result = once(StubServer(.ok(good)), "binance")
        let reading = try #require(try result.readings().first)
        #expect(result.status == 0 && result.errors == "")
        #expect(reading.source == "binance" && reading.quote?.price.text == "68901.23000000")
    }

    @Test func `--once requests the given symbol and works with another host`() throws {
        let server = StubServer(.ok(#"{"symbol":"ETHUSDT","price":"3012.55"}"#))
        let words = ["--once", "--base", server.url(""), "--symbol", "ETH-USD", "binance"]
        let result = RunningProgram.run("price-fetch", words)
        let reading = try #require(try result.readings().first)
        let path = "/api/v3/ticker/price?symbol=ETHUSDT&symbolStatus=TRADING"
        #expect(result.status == 0 && server.requests.map(\.path) == [path])
        #expect(reading.symbol == Symbol("ETH-USD") && reading.quote?.price.text == "3012.55")
    }

    @Test func `a fixed URL prices one symbol and is not requested for others`() throws {
        let server = StubServer(.ok(good))
        let running = RunningProgram("price-fetch", ["--url", server.url(), "binance"])
        running.write(#"{"tick":1,"symbol":"ETH-USD"}"# + "\n")
        #expect(try running.nextReading().failures.map(\.message) == ["prices BTC-USD only"])
        #expect(server.requests.isEmpty)
        #expect(try running.answer(to: 2).quote != nil)
    }

    @Test func `ticks that arrive together are all answered, even if no more follow`() {
        let running = RunningProgram("price-fetch", ["--url", "http://127.0.0.1:1/", "binance"])
        let tick = #"{"tick":1,"symbol":"ETH-USD"}"# + "\n"
        running.write(String(repeating: tick, count: 1000))
        #expect(running.waitUntil(within: .seconds(10)) { running.lineCount == 1000 })
        #expect(running.finish().status == 0)
    }

    @Test(arguments: [
        ("price-fallback cat", "ticks"), ("price-cache", "readings"), ("price-cache --answer", "ticks"),
        ("price-format", "readings"),
    ])
    func `the other programs also report that they wait at a terminal`(command: String, records: String) {
        let terminal = Terminal()
        terminal.type("\(command)\r")
        let warning = "warning: reading \(records) from the terminal; they come from price-clock |"
        #expect(terminal.waitFor(warning))
        terminal.type("\u{4}echo status $?\r")
        #expect(terminal.waitFor("status 0"))
    }

    @Test func `price-fetch reports that it waits for ticks from a terminal`() {
        let terminal = Terminal()
        terminal.type("price-fetch binance\r")
        #expect(terminal.waitFor("price-fetch: warning: reading ticks from the terminal; with --once "))
        terminal.type("\u{4}echo status $?\r")
        #expect(terminal.waitFor("status 0"))
        // And not when it reads no ticks
        terminal.type("price-fetch --once --url http://127.0.0.1:\(Loopback.freePort())/ binance\r")
        #expect(terminal.waitFor("network"))
        #expect(terminal.screen.components(separatedBy: "reading ticks").count == 2)
    }

    @Test func `the list shows all sources with their features`() {
        let result = RunningProgram.run("price-fetch", ["--list"])
        #expect(result.status == 0 && result.lines == Origin.list)
        let names = result.lines.map { String($0.prefix { $0 != "\t" }) }
        #expect(names == PriceSource.all.map(\.name) + [EchoFeed.name])
        let some = ["binance\tpoll several push candles", "cryptocompare\tpoll", "echo\tmade-up"]
        #expect(some.allSatisfy(result.lines.contains))
    }

    @Test func `a program sends its requests over one connection`() {
        let server = StubServer(.ok(good))
        let running = RunningProgram("price-fetch", ["--url", server.url(), "binance"])
        for _ in 0..<5 {
            running.write("{}\n")
            #expect(running.readLine()?.contains("68901.23000000") == true)
        }
        #expect(running.finish().status == 0)
        #expect(server.requests.map(\.connection) == [1, 1, 1, 1, 1])
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `price-fetch runs in one thread`() throws {
        let server = StubServer(.ok(good))
        let running = RunningProgram("price-fetch", ["--url", server.url(), "binance"])
        running.write("{}\n")
        #expect(running.readLine() != nil)
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(running.process)/task")
        #expect(threads.count == 1 && server.requests.count == 1)
    }

    @Test func `a slow answer does not delay the next tick`() throws {
        let server = StubServer(StubServer.Answer.ok(good).after(.milliseconds(600)), .ok(good))
        let running = RunningProgram("price-fetch", ["--timeout", "5s", "--url", server.url(), "binance"])
        running.write(#"{"tick":1}"# + "\n")
        #expect(running.waitUntil(within: .seconds(5)) { server.requests.count == 1 })
        running.write(#"{"tick":2}"# + "\n")
        let order = try running.finish().readings().map(\.tick)
        #expect(order == [2, 1])
    }

    @Test func `a tick's own time limit counts if it is shorter`() throws {
        let server = StubServer(.silence)
        let result = RunningProgram.run(
            "price-fetch", ["--url", server.url(), "binance"], input: #"{"tick":7,"timeout_ms":120}"#)
        #expect(try result.readings().first?.failures.first?.message == "no answer within 120 ms")
    }

    @Test(.fault(70)) func `the time of a tick may come from another machine's clock, even if that is wrong`()
        throws
    {
        let server = StubServer(.ok(good))
        let result = RunningProgram.run(
            "price-fetch", ["--url", server.url(), "binance"],
            input: #"{"tick":7,"at":"2020-01-01T00:00:00.000Z"}"#)
        #expect(try result.readings().first?.quote != nil && server.requests.count == 1)
    }

    @Test(
        .fault(15),
        arguments: [
            (
                StubServer.Answer.status(401, headers: ["WWW-Authenticate: Basic realm=\"x\""]),
                Failure.Kind.denied
            ),
            (.status(403, "<html>"), .denied), (.status(451), .denied), (.status(429), .rateLimited),
            (.status(418), .rateLimited), (.status(302, headers: ["Location: /elsewhere"]), .invalidData),
            (.status(302), .invalidData), (.status(204), .invalidData), (.status(500), .invalidData),
            (.ok("<html>"), .invalidData), (.ok(""), .invalidData),
            (.ok(#"{"symbol":"ETHUSDT","price":"3012.55"}"#), .invalidData),
            (.ok(String(repeating: " ", count: 70_000) + "1"), .invalidData), (.raw(""), .network),
        ])
    func `each bad answer is immediately a failure of the right kind`(
        answer: StubServer.Answer, kind: Failure.Kind
    )
        throws
    {
        let server = StubServer(answer)
        let failure = try failure(once(server, "--timeout", "20s", "binance"))
        #expect(failure.kind == kind)
        #expect(server.requests.allSatisfy { $0.path == "/price.json" })
    }

    @Test(.fault(14))
    func `a source that rejects a request gets no second one, and the refusal is reported once`() throws {
        // Given
        let server = StubServer(.status(451))
        let ticks = String(repeating: "{}\n", count: 3)
        let running = RunningProgram("price-fetch", ["--url", server.url(), "binance"])
        // When
        running.write("{}\n")
        #expect(running.readLine() != nil)
        running.write(ticks)
        let result = running.finish()
        // Then
        #expect(
            try result.readings().map { $0.failures.map(\.kind) } == [
                [.denied], [.denied], [.denied], [.denied],
            ]
        )
        #expect(server.requests.count == 1)
        #expect(
            result.errors.hasPrefix("price-fetch: warning: binance: status 451; pausing requests; "))
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test(.fault(13), arguments: ["60", " 60  "])
    func `an overloaded server is left alone until its Retry-After has passed`(retryAfter: String) throws {
        let server = StubServer(.status(503, headers: ["Retry-After:\(retryAfter)"]))
        let running = RunningProgram("price-fetch", ["--timeout", "20s", "--url", server.url(), "binance"])
        for tick in 0..<3 {
            let failure = try running.failure(at: tick)
            #expect(failure.kind == .invalidData && failure.message == "status 503")
            #expect(failure.retry! > .seconds(40) && failure.retry! <= .seconds(60))
        }
        #expect(server.requests.count == 1)
        #expect(running.finish().errors == "price-fetch: warning: binance: status 503\n")
    }

    @Test func `an unsupported symbol is requested once and reported once in the words of the source`()
        throws
    {
        // Given
        let server = StubServer(.status(400, #"{"code":-1121,"msg":"Invalid symbol.\u001b[31m"}"#))
        let running = RunningProgram("price-fetch", ["--timeout", "20s", "--url", server.url(), "binance"])
        // When
        let failures = try (0..<3).map { try running.failure(at: $0) }
        // Then
        #expect(Set(failures.map(\.kind)) == [.unsupported] && server.requests.count == 1)
        #expect(failures.allSatisfy { $0.retry! > .seconds(50) && $0.retry! <= .seconds(60) })
        #expect(
            running.finish().errors
                == "price-fetch: warning: binance: BTC-USD is not supported: status 400: Invalid symbol.?[31m\n"
        )
    }

    @Test(.fault(55)) func `a fallback answers the same tick if the primary's market is closed`() throws {
        let closed = #"{"code":-1220,"msg":"The symbol's status does not match the requested symbolStatus."}"#
        let primary = StubServer(.status(400, closed))
        let fallback = StubServer(.ok(ExchangePayload.coinbase.body(Symbol("BTC-GBP")!, "52000.5")))
        let sources = ["\(primary.url("")) binance", "\(fallback.url("")) coinbase"].map {
            "price-fetch --base \($0)"
        }
        let running = RunningProgram("price-fallback", ["--timeout", "10s", "--budget", "20s"] + sources)
        for tick in 0..<3 {
            running.write(#"{"tick":\#(tick),"symbol":"BTC-GBP"}"# + "\n")
            let reading = try running.nextReading()
            #expect(reading.source == "coinbase" && reading.quote?.price.text == "52000.5")
            #expect(reading.failures.map(\.kind) == [.unsupported])
        }
        #expect(primary.requests.map(\.path) == ["/api/v3/ticker/price?symbol=BTCGBP&symbolStatus=TRADING"])
        #expect(fallback.requests.map(\.path).allSatisfy { $0 == "/products/BTC-GBP/ticker" })
    }

    @Test func `a list of all markets, larger than any price answer, is Bitstamp's refusal of a pair`() throws
    {
        let row =
            #"{"timestamp":"1789455809","last":"77265","side":"1","market_type":"SPOT","pair":"BTC/USD"}"#
        let server = StubServer(.ok("[\(Array(repeating: row, count: 1000).joined(separator: ","))]"))
        let words = ["--timeout", "20s", "--base", server.url(""), "bitstamp"]
        let running = RunningProgram("price-fetch", words)
        for tick in 0..<3 { #expect(try running.failure(at: tick).kind == .unsupported) }
        #expect(server.requests.count == 1)
    }

    @Test func `an unsupported symbol does not disturb other symbols`() throws {
        // Given
        let asked = Mutex<[String]>([])
        let good = good
        let server = StubServer { request in
            asked.withLock { $0.append(request.path) }
            let isKnown = request.path.contains("=BTCUSDT&")
            return isKnown ? .ok(good) : .status(400, #"{"code":-1121,"msg":"Invalid symbol."}"#)
        }
        let words = ["--timeout", "20s", "--base", "http://127.0.0.1:\(server.port)", "binance"]
        let running = RunningProgram("price-fetch", words)
        // When
        for tick in 0..<3 {
            for (symbol, isQuoted) in [("XYZ-USD", false), ("btc-usd", false), ("BTC-USD", true)] {
                running.write(#"{"tick":\#(tick),"symbol":"\#(symbol)"}"# + "\n")
                let reading = try running.nextReading()
                #expect((reading.quote != nil) == isQuoted, "\(reading.text)")
                #expect(reading.quote?.market?.text == (isQuoted ? "BTCUSDT" : nil))
            }
        }
        // Then each unsupported symbol was requested at most once, and reported once
        #expect(asked.withLock { $0.count } == 4)
        let warnings = running.finish().errors.split(separator: "\n")
        #expect(
            warnings == [
                "price-fetch: warning: binance: XYZ-USD is not supported: status 400: Invalid symbol.",
                "price-fetch: warning: binance: btc-usd is not supported: not a pair such as BTC-USD",
            ])
    }

    @Test func `a custom source reads the price at its pointer, as text or as a number`() throws {
        for body in [#"{"data":[{"last":"12.50"}]}"#, #"{"data":[{"last":12.50}]}"#] {
            let result = once(StubServer(.ok(body)), "--price", "/data/0/last", "--name", "mine")
            let reading = try #require(try result.readings().first)
            #expect(reading.source == "mine" && reading.quote?.price.text == "12.50")
        }
    }

    @Test func `three ticks from a shell loop are numbered and answered`() throws {
        let server = StubServer(.ok(#"{"p":"12.50"}"#))
        let result = RunningProgram.shell("yes '{}' | head -3 | price-fetch --url \(server.url()) --price /p")
        #expect(try result.readings().compactMap(\.tick).sorted() == [0, 1, 2])
        #expect(result.status == 0)
    }

    @Test func `a bad line among thousands of ticks is reported by its number and sets the status`() throws {
        let server = StubServer(.ok(good))
        let running = RunningProgram("price-fetch", ["--timeout", "20s", "--url", server.url(), "binance"])
        running.write("bad\n" + String(repeating: "{}\n", count: 2000))
        let result = running.finish(within: .seconds(100))
        let numbers = try result.readings().map(\.tick)
        #expect(numbers.compactMap(\.self).sorted() == Array(0..<2000))
        #expect(result.errors.hasPrefix("price-fetch: warning: line 1: ") && result.status == 65)
        // At most 16 at a time; a busy machine replaces some of them.
        #expect(server.accepted < 100)
    }

    @Test func `CryptoCompare's key goes into a header, and nowhere else`() {
        let server = StubServer(.status(401))
        let result = once(server, "cryptocompare", environment: ["CRYPTOCOMPARE_API_KEY": "s3cret\r"])
        #expect(server.requests.map { $0.headers["authorization"] } == ["Apikey s3cret"])
        #expect(server.requests.allSatisfy { !$0.path.contains("s3cret") })
        #expect(!(result.output + result.errors).contains("s3cret"))
    }

    @Test func `without a key, or for another source, no key is sent`() {
        let server = StubServer(.status(401))
        _ = once(server, "cryptocompare")
        _ = once(server, "coinbase", environment: ["CRYPTOCOMPARE_API_KEY": "s3cret"])
        #expect(server.requests.map { $0.headers["authorization"] } == [nil, nil])
    }
}
