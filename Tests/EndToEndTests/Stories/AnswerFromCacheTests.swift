import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-cache --answer`, which makes the store act as a source, and `--max-age`, which limits the age of
/// the stored quotes that are returned.
@Suite(.endToEnd) struct AnswerFromCacheTests {
    private let folder = TemporaryFolder()
    private var environment: [String: String] { ["XDG_CACHE_HOME": folder.path] }

    private func run(_ input: String, _ words: String...) -> RunningProgram.Result {
        RunningProgram.run("price-cache", words, input: input, environment: environment)
    }

    /// The reading with which the store answers a tick.
    private func answer(_ tick: Tick = anyTick(), _ words: [String] = []) throws -> Reading {
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

    @Test(arguments: [
        (50, [], true), (60, [], false), (-30, [], false), (3600, ["--fresh-for", "2h"], true),
        (3600, ["--fresh-for", "30m"], false), (1800, ["--fresh-for", "1h", "--max-age", "10m"], false),
        (1, ["--candles"], false),
    ])
    func `a stored quote is returned only if it is younger than both --fresh-for and --max-age`(
        age: Int, words: [String], isFresh: Bool
    ) throws {
        storeQuote(age: .seconds(age))
        let reading = try answer(anyTick(), words)
        #expect(reading.tick == 12 && reading.error == nil && reading.source == (isFresh ? "binance" : nil))
        #expect(reading.quote?.price.text == (isFresh ? "68901.23" : nil))
        #expect(kinds(reading) == (isFresh ? [] : [.expired]))
    }

    @Test func `a closed stored candle is returned at any age, and an open candle only while it is fresh`()
        throws
    {
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
        #expect(try kinds(answer(tick(0), ["--fresh-for", "1ms"])) == [.expired])
    }

    // MARK: Offline, for seven days

    @Test(arguments: [(7 * 86_400 - 30, true), (7 * 86_400, false)])
    func `with --max-age 7d, a stored quote is used after a failure until the quote is seven days old`(
        age: Int, isShown: Bool
    ) throws {
        storeQuote(age: .seconds(age))
        let reading = try Reading(line: run(failureLine(), "--max-age", "7d").output.dropLast().utf8)
        #expect((reading.quote != nil) == isShown && reading.error == true)
    }

    // MARK: The files of the store

    @Test func `a tick is not answered from a file that contains another symbol's quote`() throws {
        let file = "\(folder.path)/quote.json"
        _ = RunningProgram.run("price-cache", ["--file", file], input: quoteLine(at: .now()))
        let ticks = [anyTick(1), anyTick(2, symbol: "ETH-USD")].map { $0.text + "\n" }.joined()
        let result = RunningProgram.run("price-cache", ["--answer", "--file", file], input: ticks)
        #expect(result.lines.map { $0.contains("68901.23") } == [true, false])
    }

    @Test func `price-cache --answer keeps few file descriptors open, even with many symbols`() {
        let ticks = (0..<200).map { anyTick($0, symbol: "S\($0)-USD").text + "\n" }.joined()
        let result = RunningProgram.shell(
            "ulimit -n 6; price-cache --answer", input: ticks, environment: environment)
        #expect(result.status == 0 && result.lines.count == 200 && result.errors == "")
    }
}
