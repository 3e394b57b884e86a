import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-cache --answer`: the store as a source, and `--max-age`: what is shown offline.
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

    @Test func `less than fresh-for: the stored quote, its source, and no error flag`() throws {
        storeQuote(age: .seconds(50))
        let reading = try answer()
        #expect(reading.quote?.price.text == "68901.23" && reading.source == "binance")
        #expect(reading.error == nil && reading.failures == [] && reading.tick == 12)
    }

    @Test(arguments: [60, 61, 86_400]) func `at fresh-for and beyond: expired`(age: Int) throws {
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

    @Test func `from the future: expired`() throws {
        storeQuote(age: .seconds(-30))
        #expect(try kinds(answer()) == [.expired])
    }

    @Test func `empty: expired, and nothing is stored`() throws {
        let reading = try answer()
        #expect(kinds(reading) == [.expired] && reading.failures.first?.message == "no quote is stored")
        #expect(folder.contents("btc-price/BTC-USD.json") == nil)
    }

    @Test func `unreadable: expired with the reason, and the file is left as it is`() throws {
        mkdir("\(folder.path)/btc-price", 0o700)
        folder.write("btc-price/BTC-USD.json", "rubbish")
        let result = run(anyTick().text + "\n" + anyTick().text, "--answer")
        #expect(result.lines.count == 2 && result.lines.allSatisfy { $0.contains(#""kind":"expired""#) })
        #expect(result.errors.hasPrefix("price-cache: warning: cannot use \(path): not a JSON object"))
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(folder.contents("btc-price/BTC-USD.json") == "rubbish")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/btc-price").count == 1)
    }

    @Test func `a closed candle: always; the open one: while it is fresh; another: expired`() throws {
        let day = 86_400_000
        let today = Timestamp(milliseconds: Timestamp.now().milliseconds / day * day)
        func tick(_ days: Int) -> Tick {
            Tick(number: days, at: today + .seconds(-days * 86_400), candle: .day)
        }
        let open = Reading(answering: tick(0), anyQuote("2.00", at: .now()), from: "kraken")
        let closed = Reading(
            answering: tick(400), anyQuote("1.00", at: today + .seconds(-399 * 86_400)), from: "kraken")
        #expect(run(open.text + "\n" + closed.text).status == 0)
        #expect(try answer(tick(400)).quote?.price.text == "1.00")
        #expect(try answer(tick(0)).quote?.price.text == "2.00" && kinds(answer(tick(1))) == [.expired])
        #expect(try kinds(answer(tick(0), "--fresh-for", "1ms")) == [.expired])
    }

    @Test func `ticks without members are numbered`() {
        let result = run("{}\n{}\n", "--answer")
        #expect(result.lines.map { $0.prefix(9) } == [#"{"tick":0"#, #"{"tick":1"#])
    }

    // MARK: offline, for seven days

    @Test(arguments: [(7 * 86_400 - 30, true), (7 * 86_400, false), (8 * 86_400, false)])
    func `offline: less than seven days old is shown, seven days and more is an error`(
        age: Int, isShown: Bool
    ) throws {
        storeQuote(age: .seconds(age))
        let reading = try Reading(line: run(failureLine(), "--max-age", "7d").output.dropLast().utf8)
        #expect((reading.quote != nil) == isShown && reading.error == true)
    }

    @Test func `offline and empty: an error`() throws {
        let reading = try Reading(line: run(failureLine(), "--max-age", "7d").output.dropLast().utf8)
        #expect(reading.quote == nil && reading.error == true)
    }

    // MARK: several programs

    @Test func `ten viewers that start together ask once, and again when the quote has expired`() throws {
        // Given
        let price = StubServer.Answer.ok(#"{"symbol":"BTCUSDT","price":"68901.23"}"#)
        let server = StubServer(price.after(.milliseconds(100)))
        let source = "exec price-fetch --url \(server.url()) binance"
        let fallback = "price-fallback 'exec price-cache --answer --fresh-for 2s' '\(source)'"
        let viewers = (0..<10).map { _ in
            RunningProgram("bash", ["-c", "\(fallback) | price-cache"], environment: environment)
        }
        // When
        var quotes = 0
        for beat in 0..<2 {
            for viewer in viewers { viewer.write(#"{"tick":\#(beat)}"# + "\n") }
            for viewer in viewers {
                let line = try #require(viewer.readLine())
                if try Reading(line: line.utf8).isFresh { quotes += 1 }
            }
            if beat == 0 { usleep(2_000_000) }
        }
        // Then
        #expect(quotes == 20)
        #expect(server.requests.count == 2)
    }

    @Test func `when the viewer that asks is killed, another one asks at once`() throws {
        // Given
        let viewers = (0..<2).map { _ in
            RunningProgram("price-cache", ["--answer"], environment: environment)
        }
        let tick = Tick(number: 1, timeout: .seconds(20)).text + "\n"
        viewers[0].write(tick)
        #expect(viewers[0].readLine()?.contains("expired") == true)
        viewers[1].write(tick)
        #expect(viewers[1].readLine(within: .milliseconds(200)) == nil)
        // When
        viewers[0].signal(SIGKILL)
        // Then
        #expect(viewers[1].readLine(within: .milliseconds(400))?.contains("expired") == true)
    }

    @Test(.fault(23), .enabled(if: Programs.has("strace"), "needs strace"))
    func `a disk that hangs delays no line beyond the time limit`() throws {
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
