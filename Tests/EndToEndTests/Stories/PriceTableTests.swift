import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The program `price-format --style table`.
@Suite(.endToEnd) struct PriceTableTests {
    private func table(_ input: String, _ words: String..., zone: String = "UTC0") -> RunningProgram.Result {
        RunningProgram.run(
            "price-format", ["--style", "table"] + words, input: input, environment: ["TZ": zone])
    }

    @Test(arguments: ["UTC0", "Pacific/Kiritimati", "Pacific/Honolulu", "<+14>-14"])
    func `the date of a candle is in UTC in every time zone`(zone: String) {
        let lines = (0..<3).map { candleLine("\($0 + 1).00", tick: $0, day: $0 - 400) }
        let result = table(lines.joined(separator: "\n"), zone: zone)
        #expect(result.status == 0 && result.errors == "" && result.lines.count == 4)
        #expect(result.lines.dropFirst().first?.hasPrefix("Oct 18, 2025") == true)
        #expect(result.lines.last?.hasPrefix("Out of date: from Oct ") == true)
    }

    @Test func `--time-format is also used for days`() {
        let lines = (0..<2).map { candleLine(tick: $0, day: $0) }.joined(separator: "\n")
        #expect(
            table(lines, "--time-format", "yyyy-MM-dd").lines.dropFirst().first?.hasPrefix("2026-11-22  ")
                == true)
    }

    @Test func `a live table does not wait for the next tick`() {
        let running = RunningProgram("price-format", ["--style", "table"])
        running.write(quoteLine("1.00", tick: 0, at: .now()) + "\n")
        #expect(running.readLine()?.hasSuffix("BTC-USD") == true)
        #expect(running.readLine()?.hasSuffix("$1.00") == true)
        let result = running.finish()
        #expect(result.status == 0 && result.lines.last?.hasPrefix("Data from ") == true)
    }

    @Test func `the status is 69 without a quote, 0 without a reading, and 65 with a bad line`() {
        let failures = (0..<2).map { failureLine(tick: $0) }.joined(separator: "\n")
        let result = table(failures)
        #expect(result.status == 69 && result.errors == "" && result.lines.last == "No data")
        #expect(table("").status == 0 && table("").output == "")
        #expect(table("rubbish\n" + failures).status == 65)
    }
}
