import Foundation
import PipeCommon
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

    @Test func `--once requests the symbol given with --symbol from the host given with --base`() throws {
        let server = StubServer(.ok(#"{"symbol":"ETHUSDT","price":"3012.55"}"#))
        let words = ["--once", "--base", server.url(""), "--symbol", "ETH-USD", "binance"]
        let result = RunningProgram.run("price-fetch", words)
        let reading = try #require(try result.readings().first)
        let path = "/api/v3/ticker/price?symbol=ETHUSDT&symbolStatus=TRADING"
        #expect(result.status == 0 && server.requests.map(\.path) == [path])
        #expect(reading.symbol == Symbol("ETH-USD") && reading.quote?.price.text == "3012.55")
    }

    @Test func `ticks that arrive together are all answered, even if no more ticks follow`() {
        let running = RunningProgram("price-fetch", ["--url", "http://127.0.0.1:1/", "binance"])
        running.write(String(repeating: #"{"tick":1,"symbol":"ETH-USD"}"# + "\n", count: 1000))
        #expect(running.waitUntil { running.lineCount == 1000 })
        #expect(running.finish().status == 0)
    }

    @Test(arguments: [
        ("price-fetch binance", "ticks from the terminal; use --once "),
        ("price-fallback cat", "ticks from the terminal; pipe them in: price-clock |"),
        ("price-cache", "readings from the terminal; pipe them in: price-clock |"),
        ("price-cache --answer", "ticks from the terminal; pipe them in: price-clock |"),
        ("price-format", "readings from the terminal; pipe them in: price-clock |"),
    ])
    func `a filter reports that it is waiting for input from a terminal`(command: String, warning: String) {
        let terminal = Terminal()
        terminal.type("\(command)\r", expecting: "warning: waiting for \(warning)")
        terminal.type("\u{4}echo status $?\r", expecting: "status 0")
    }

    @Test func `--list shows all sources with their features`() {
        let result = RunningProgram.run("price-fetch", ["--list"])
        #expect(result.status == 0 && result.lines == Origin.list)
        let names = result.lines.map { String($0.prefix { $0 != "\t" }) }
        #expect(names == PriceSource.all.map(\.name) + [EchoFeed.name])
        let some = ["binance\tpoll several push candles", "cryptocompare\tpoll", "echo\tmade-up"]
        #expect(some.allSatisfy(result.lines.contains))
    }

    @Test func `price-fetch sends consecutive requests over one connection, from a single thread`() {
        let server = StubServer(.ok(good))
        let running = RunningProgram("price-fetch", ["--url", server.url(), "binance"])
        for _ in 0..<5 {
            running.write("{}\n")
            #expect(running.readLine()?.contains("68901.23000000") == true)
        }
        if isLinux { #expect(statusNumber("Threads", of: running.process) == 1) }
        #expect(running.finish().status == 0)
        #expect(server.requests.map(\.connection) == [1, 1, 1, 1, 1])
    }

    @Test func `a slow answer does not delay the answer to the next tick`() throws {
        let server = StubServer(StubServer.Answer.ok(good).after(.milliseconds(600)), .ok(good))
        let running = RunningProgram("price-fetch", ["--timeout", "5s", "--url", server.url(), "binance"])
        running.write(#"{"tick":1}"# + "\n")
        #expect(running.waitUntil(within: .seconds(5)) { server.requests.count == 1 })
        running.write(#"{"tick":2}"# + "\n")
        #expect(try running.finish().readings().map(\.tick) == [2, 1])
    }

    @Test func `a tick's own time limit applies if it is shorter than --timeout`() throws {
        let server = StubServer(.silence)
        let result = RunningProgram.run(
            "price-fetch", ["--url", server.url(), "binance"], input: #"{"tick":7,"timeout_ms":120}"#)
        #expect(try result.readings().first?.failures.first?.message == "no answer within 120 ms")
    }

    @Test(.fault(13), arguments: ["60", " 60  "])
    func `an overloaded server gets no further request until the time in Retry-After has passed`(
        retryAfter: String
    ) throws {
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

    @Test
    func `a pair is reported as unsupported if Bitstamp answers with the list of all its markets instead`()
        throws
    {
        let row =
            #"{"timestamp":"1789455809","last":"77265","side":"1","market_type":"SPOT","pair":"BTC/USD"}"#
        let server = StubServer(.ok("[\(Array(repeating: row, count: 1000).joined(separator: ","))]"))
        let words = ["--timeout", "20s", "--base", server.url(""), "bitstamp"]
        let running = RunningProgram("price-fetch", words)
        for tick in 0..<3 { #expect(try running.failure(at: tick).kind == .unsupported) }
        #expect(server.requests.count == 1)
    }

    @Test func `an unsupported symbol is reported once and does not affect other symbols`() throws {
        // Given
        let (asked, good) = (RequestLog(), good)
        let server = StubServer { request in
            asked.add(request.path)
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
        // Then each unsupported symbol is requested at most once and reported exactly once
        #expect(asked.all.count == 4)
        let warnings = running.finish().errors.split(separator: "\n")
        #expect(
            warnings == [
                "price-fetch: warning: binance: XYZ-USD is not supported: status 400: Invalid symbol.",
                "price-fetch: warning: binance: btc-usd is not supported: not a pair such as BTC-USD",
            ])
    }

    @Test func `a bad line is reported and changes the exit status, but the ticks after it are answered`()
        throws
    {
        let server = StubServer(.ok(good))
        let running = RunningProgram("price-fetch", ["--timeout", "20s", "--url", server.url(), "binance"])
        running.write("bad\n" + String(repeating: "{}\n", count: 1000))
        let result = running.finish(within: .seconds(100))
        #expect(try result.readings().compactMap(\.tick).sorted() == Array(0..<1000))
        #expect(result.errors.hasPrefix("price-fetch: warning: line 1: ") && result.status == 65)
        // At most 16 requests are under way at a time, each on its own connection. Connections are reused,
        // but on a busy machine, some of them are replaced.
        #expect(server.accepted < 100)
    }

    @Test func `CryptoCompare's API key is sent in a header and nowhere else`() {
        let server = StubServer(.status(401))
        let result = once(server, "cryptocompare", environment: ["CRYPTOCOMPARE_API_KEY": "s3cret\r"])
        #expect(server.requests.map { $0.headers["authorization"] } == ["Apikey s3cret"])
        #expect(server.requests.allSatisfy { !$0.path.contains("s3cret") })
        #expect(!(result.output + result.errors).contains("s3cret") && result.status == 69)
        // And the key is not sent to another source
        _ = once(server, "coinbase", environment: ["CRYPTOCOMPARE_API_KEY": "s3cret"])
        #expect(server.requests.map { $0.headers["authorization"] } == ["Apikey s3cret", nil])
    }
}
