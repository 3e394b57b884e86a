import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The requests that a view sends to `price-clock --requests`. In these tests, the requests arrive on
/// standard input.
@Suite(.endToEnd) struct ClockRequestTests {
    private func clock(_ interval: String, _ words: String...) -> RunningProgram {
        RunningProgram("price-clock", ["--interval", interval, "--requests", "0", "--symbol", "A"] + words)
    }

    private func tick(_ clock: RunningProgram) throws -> Tick {
        try Tick(line: try #require(clock.readLine()).utf8)
    }

    @Test func `when a stopped clock is started again, it ticks immediately, with the next number`() throws {
        let clock = clock("1h")
        #expect(try tick(clock).number == 0)
        // When
        clock.write("stop\nstart\n")
        // Then
        #expect(try tick(clock).number == 1)
        #expect(clock.finish().status == 0)
    }

    @Test func `a stopped clock prints only ticks for requested candles until it is started again`() {
        let clock = clock("20ms")
        #expect(clock.readLine() != nil)
        // Once the tick for the candle is printed, the clock has also read the preceding request to stop.
        clock.write("stop\ncandles 1d 1 A\n")
        while let line = clock.readLine(), !line.contains("candle") {}
        let count = clock.lineCount
        #expect(!clock.waitUntil(within: .milliseconds(150)) { clock.lineCount > count })
        clock.write("start\n")
        #expect(clock.readLine() != nil)
    }

    @Test func `ticks for candles are printed immediately, oldest first, each with its own number`() throws {
        let clock = clock("1h")
        #expect(try tick(clock).candle == nil)
        // When
        clock.write("candles 15m 3 BTC-USD\ncandles 15m 1 BTC-USD\n")
        let ticks = try (0..<4).map { _ in try tick(clock) }
        // Then
        #expect(ticks.map(\.number) == [0, 1, 2, 3])
        #expect(ticks.allSatisfy { $0.symbol?.text == "BTC-USD" && $0.candle != nil })
        let times = ticks.compactMap(\.at?.milliseconds)
        #expect(times[1] - times[0] == 900_000 && times[2] - times[1] == 900_000 && times[3] >= times[2])
    }

    @Test func `after the last beat, the clock closes its output but runs until the requests end`() {
        let clock = clock("10ms", "-n", "2")
        #expect(clock.readLine() != nil && clock.readLine() != nil && clock.readLine() == nil)
        #expect(!clock.hasExited)
        let result = clock.finish()
        #expect(result.status == 0 && result.lines.count == 2)
    }

    @Test(.fault(58)) func `a request is accepted even if it arrives in two parts`() {
        let clock = clock("50ms")
        #expect(clock.readLine() != nil)
        clock.write("candles 1d")
        for _ in 0..<4 { #expect(clock.readLine()?.contains("candle") == false) }
        clock.write(" 1 A\n")
        while let line = clock.readLine(), !line.contains("candle") {}
        let result = clock.finish()
        #expect(result.status == 0 && result.errors == "" && result.output.contains("candle"))
    }

    @Test(.fault(58)) func `no request is lost, no matter when it arrives`() throws {
        let clock = clock("3ms")
        #expect(clock.readLine() != nil)
        // When
        let symbols = (0..<800).map { "A\($0)" }
        for symbol in symbols { clock.write("candles 1d 1 \(symbol)\n") }
        // Then
        var seen: [String] = []
        while seen.count < symbols.count, let line = clock.readLine() {
            let tick = try Tick(line: line.utf8)
            if tick.candle != nil { seen.append(try #require(tick.symbol?.text)) }
        }
        let result = clock.finish()
        #expect(seen == symbols && result.errors == "" && result.status == 0)
    }

    @Test(.fault(58))
    func `requests for many candles do not delay the beats and are dropped when the input ends`() throws {
        let clock = clock("50ms")
        #expect(clock.readLine() != nil)
        // When
        clock.write(String(repeating: "candles 1m 9999 A\n", count: 20))
        var (beats, candles): ([Int], Int) = ([], 0)
        while beats.count < 10, let line = clock.readLine() {
            let tick = try Tick(line: line.utf8)
            if tick.candle != nil { candles += 1 } else { beats.append(try #require(tick.at).milliseconds) }
        }
        let end = ContinuousClock.now
        let result = clock.finish()
        // Then
        #expect(zip(beats, beats.dropFirst()).allSatisfy { $1 - $0 < 500 })
        #expect(candles > 100 && result.status == 0 && result.lines.count < 20 * 9999)
        #expect(ContinuousClock.now - end < .seconds(1))
    }

    @Test(
        .fault(58),
        arguments: [
            ("nonsense\n", 1_000), ("x", 70_000),
            ("candles 2h 1 A\ncandles 1d 0 A\ncandles 1d 1 A B\ncandles 1d 1 ../A\nstop it\n\u{1B}[2J\n", 1),
        ])
    func `invalid requests cause one warning and do not stop the clock`(text: String, count: Int) throws {
        let clock = clock("20ms")
        #expect(clock.readLine() != nil)
        // When
        clock.write(String(repeating: text, count: count))
        clock.write("\ncandles 1d 1 END\n")
        // Then
        var times: [Int] = []
        while let line = clock.readLine() {
            let tick = try Tick(line: line.utf8)
            if tick.candle != nil { break }
            times.append(try #require(tick.at).milliseconds)
        }
        let result = clock.finish()
        let warning = "price-clock: warning: invalid request '"
        #expect(result.errors.hasPrefix(warning) && result.errors.split(separator: "\n").count == 1)
        #expect(result.errors.utf8.count < 200 && !result.errors.contains("\u{1B}"))
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 < 500 } && result.status == 0)
    }
}
