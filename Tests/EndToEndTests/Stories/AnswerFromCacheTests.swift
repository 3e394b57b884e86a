import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-cache --answer`: the store as a source; and `--max-age`: how old a quote may be offline.
@Suite(.endToEnd) struct AnswerFromCacheTests {
    private let folder = TemporaryFolder()
    private var path: String { "\(folder.path)/btc-price/BTC-USD.json" }
    private var environment: [String: String] { ["XDG_CACHE_HOME": folder.path] }

    private func run(_ input: String, _ words: String...) -> RunningProgram.Result {
        RunningProgram.run("price-cache", words, input: input, environment: environment)
    }

    /// The reading that answers a tick.
    private func answer(_ tick: Tick = anyTick(), _ words: String...) throws -> Reading {
        let result = RunningProgram.run(
            "price-cache", ["--answer"] + words, input: tick.text, environment: environment)
        #expect(result.status == 0 && result.lines.count == 1)
        return try Reading(line: result.output.dropLast().utf8)
    }

    private func storeQuote(age: Duration) {
        #expect(run(quoteLine(at: .now() + .milliseconds(-age.milliseconds))).status == 0)
    }

    private func kinds(_ reading: Reading) -> [Failure.Kind] {
        reading.quote == nil ? reading.failures.map(\.kind) : []
    }

    // MARK: --answer

    @Test func `a quote younger than fresh-for is answered with its source and without the error flag`()
        throws
    {
        storeQuote(age: .seconds(50))
        let reading = try answer()
        #expect(reading.quote?.price.text == "68901.23" && reading.source == "binance")
        #expect(reading.error == nil && reading.failures == [] && reading.tick == 12)
    }

    @Test(arguments: [60, 61, 86_400]) func `a quote as old as fresh-for, or older, has expired`(age: Int)
        throws
    {
        storeQuote(age: .seconds(age))
        let reading = try answer()
        #expect(kinds(reading) == [.expired])
        #expect(reading.failures.first?.message.hasPrefix("the stored quote is from 20") == true)
    }

    @Test func `--fresh-for sets the limit`() throws {
        storeQuote(age: .seconds(3600))
        #expect(try answer(anyTick(), "--fresh-for", "2h").quote != nil)
        #expect(try kinds(answer(anyTick(), "--fresh-for", "30m")) == [.expired])
    }

    @Test func `--candles leaves other ticks unanswered by the store, however fresh their quotes are`() throws
    {
        storeQuote(age: .seconds(1))
        #expect(try kinds(answer(anyTick(), "--candles")) == [.expired])
    }

    @Test func `a quote from the future has expired`() throws {
        storeQuote(age: .seconds(-30))
        #expect(try kinds(answer()) == [.expired])
    }

    @Test func `an empty store answers expired and stays empty`() throws {
        let reading = try answer()
        #expect(kinds(reading) == [.expired] && reading.failures.first?.message == "no quote is stored")
        #expect(folder.contents("btc-price/BTC-USD.json") == nil)
    }

    @Test func `an unusable file counts as expired, is reported once and stays unchanged`() throws {
        mkdir("\(folder.path)/btc-price", 0o700)
        folder.write("btc-price/BTC-USD.json", "rubbish")
        let result = run(anyTick().text + "\n" + anyTick().text, "--answer")
        #expect(result.lines.count == 2 && result.lines.allSatisfy { $0.contains(#""kind":"expired""#) })
        #expect(result.errors.hasPrefix("price-cache: warning: cannot use \(path): not a JSON object"))
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(folder.contents("btc-price/BTC-USD.json") == "rubbish")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/btc-price").count == 1)
    }

    @Test func `a closed candle is always answered, and an open candle only while it is fresh`() throws {
        let day = 86_400_000
        let today = Timestamp(milliseconds: Timestamp.now().milliseconds / day * day)
        func tick(_ days: Int) -> Tick {
            Tick(number: days, at: today + .seconds(-days * 86_400), candle: .day)
        }
        let open = Reading(answering: tick(0), anyQuote("2.00", at: .now()), from: "kraken")
        var closed = Reading(
            answering: tick(400), anyQuote("1.00", at: today + .seconds(-399 * 86_400)), from: "kraken")
        closed.isClosed = true
        #expect(run(open.text + "\n" + closed.text).status == 0)
        let reading = try answer(tick(400))
        #expect(reading.quote?.price.text == "1.00" && reading.isClosed && reading.isStored)
        #expect(try answer(tick(0)).quote?.price.text == "2.00" && kinds(answer(tick(1))) == [.expired])
        #expect(try kinds(answer(tick(0), "--fresh-for", "1ms")) == [.expired])
    }

    @Test func `the files of an earlier version are read, and their candles are requested again`() throws {
        // Given the files of version 1.0.0 before candles said whether they are closed
        mkdir("\(folder.path)/btc-price", 0o700)
        folder.write(
            "btc-price/BTC-EUR~1d.json",
            """
            {"at":"2026-11-20T00:00:00.000Z","symbol":"BTC-EUR","candle":"1d","source":"kraken","quote":\
            {"value":"59010.1","currency":"EUR","timestamp":"2026-11-21T00:00:00.000Z"},"check":"4fbf8b1b"}
            {"at":"2026-11-21T00:00:00.000Z","symbol":"BTC-EUR","candle":"1d","source":"kraken","quote":\
            {"value":"59020.1","currency":"EUR","timestamp":"2026-11-21T23:59:59.999Z"},"check":"cd1a2c23"}

            """)
        func tick(_ at: String) -> Tick { Tick(at: Timestamp(at), symbol: Symbol("BTC-EUR"), candle: .day) }
        let first = tick("2026-11-20T00:00:00.000Z")
        // When, then
        #expect(try kinds(answer(first)) == [.expired])
        #expect(try kinds(answer(tick("2026-11-21T00:00:00.000Z"))) == [.expired])
        let missing = Reading(answering: first, [anyFailure()])
        #expect(run(missing.text).output.contains(#""value":"59010.1""#))
        // And the final close replaces the stored price
        var close = Reading(
            answering: first, anyQuote("59011.0", at: Timestamp("2026-11-21T00:00:00.000Z")!), from: "kraken")
        close.isClosed = true
        #expect(run(close.text).status == 0)
        #expect(try answer(first).quote?.price.text == "59011.0")
        #expect(folder.contents("btc-price/BTC-EUR~1d.json")?.split(separator: "\n").count == 2)
    }

    @Test func `a made-up price stays one in the store`() throws {
        var madeUp = Reading(answering: anyTick(), anyQuote("1.00", at: .now()), from: "echo")
        madeUp.isMadeUp = true
        #expect(run(madeUp.text).status == 0)
        #expect(try answer().isMadeUp)
        #expect(run(failureLine()).output.contains(#""error":true,"made_up":true}"#))
    }

    @Test func `ticks without members are numbered`() {
        let result = run("{}\n{}\n", "--answer")
        #expect(result.lines.map { $0.prefix(9) } == [#"{"tick":0"#, #"{"tick":1"#])
    }

    // MARK: Offline, for seven days

    @Test(arguments: [(7 * 86_400 - 30, true), (7 * 86_400, false), (8 * 86_400, false)])
    func `offline, a quote of less than seven days is shown, and an older quote is an error`(
        age: Int, isShown: Bool
    ) throws {
        storeQuote(age: .seconds(age))
        let reading = try Reading(line: run(failureLine(), "--max-age", "7d").output.dropLast().utf8)
        #expect((reading.quote != nil) == isShown && reading.error == true)
    }

    @Test func `offline, an empty store gives an error`() throws {
        let reading = try Reading(line: run(failureLine(), "--max-age", "7d").output.dropLast().utf8)
        #expect(reading.quote == nil && reading.error == true)
    }

    // MARK: Several programs

    @Test func `ten viewers that start together send at most one request each until the quote expires`()
        throws
    {
        // Given
        let price = StubServer.Answer.ok(#"{"symbol":"BTCUSDT","price":"68901.23"}"#)
        let server = StubServer(price.after(.milliseconds(100)))
        let source = "exec price-fetch --url \(server.url()) binance"
        let fallback = "price-fallback 'exec price-cache --answer --fresh-for 1h' '\(source)'"
        let viewers = (0..<10).map { _ in
            RunningProgram("bash", ["-c", "\(fallback) | price-cache"], environment: environment)
        }
        // When
        for beat in 0..<3 {
            for viewer in viewers { viewer.write(#"{"tick":\#(beat)}"# + "\n") }
            for viewer in viewers {
                #expect(try Reading(line: #require(viewer.readLine()).utf8).isFresh)
            }
            #expect(viewers[0].waitUntil(within: .seconds(20)) { self.isStored })
        }
        // Then
        #expect(server.requests.count <= 10)
    }

    private var isStored: Bool { FileManager.default.fileExists(atPath: path) }

    @Test func `an exchange that needs 700 ms still answers if the store is queried first`() throws {
        let price = StubServer.Answer.ok(#"{"symbol":"BTCUSDT","price":"68901.23"}"#)
        let server = StubServer(price.after(.milliseconds(700)))
        let source = "price-fallback --budget 980ms 'exec price-fetch --url \(server.url()) binance'"
        let running = RunningProgram(
            "price-fallback", ["--timeout", "200ms", "exec price-cache --answer", source],
            environment: environment)
        // The first tick may find programs that are still starting.
        let isShown = running.waitUntil(within: .seconds(20)) {
            running.write("{}\n")
            return running.readLine()?.contains("68901.23") == true
        }
        #expect(isShown)
    }

    @Test func `the smaller one of --max-age and --fresh-for counts`() throws {
        storeQuote(age: .seconds(1800))
        #expect(try answer(anyTick(), "--fresh-for", "1h", "--max-age", "1h").quote != nil)
        #expect(try kinds(answer(anyTick(), "--fresh-for", "1h", "--max-age", "10m")) == [.expired])
    }

    @Test func `a file of another symbol does not answer any tick`() throws {
        let file = "\(folder.path)/quote.json"
        _ = RunningProgram.run("price-cache", ["--file", file], input: quoteLine(at: .now()))
        let ticks = [anyTick(1), anyTick(2, symbol: "ETH-USD")].map { $0.text + "\n" }.joined()
        let result = RunningProgram.run("price-cache", ["--answer", "--file", file], input: ticks)
        #expect(result.lines.map { $0.contains("68901.23") } == [true, false])
    }

    @Test func `few descriptors are open even with many symbols`() {
        let ticks = (0..<200).map { anyTick($0, symbol: "S\($0)-USD").text + "\n" }.joined()
        let result = RunningProgram.shell(
            "ulimit -n 6; price-cache --answer", input: ticks, environment: environment)
        #expect(result.status == 0 && result.lines.count == 200 && result.errors == "")
    }

    @Test(.fault(23), .enabled(if: Programs.has("strace"), "needs strace"))
    func `a disk that hangs does not delay any line beyond the time limit`() throws {
        storeQuote(age: .seconds(1))
        let slow = "strace -qq -f -o /dev/null -P \(path) -e inject=openat:delay_enter=3000000"
        let source = ShellSource.quoting("1.00")
        let running = RunningProgram(
            "price-fallback", ["--timeout", "200ms", "exec \(slow) price-cache --answer", source],
            environment: environment)
        let start = ContinuousClock.now
        for tick in 0..<3 {
            running.write(#"{"tick":\#(tick)}"# + "\n")
            #expect(running.readLine()?.contains(#""1.00""#) == true)
        }
        #expect(ContinuousClock.now - start < .milliseconds(2800))
    }
}
