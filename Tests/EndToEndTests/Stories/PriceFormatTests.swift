import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-format` as a program. The cases in `Cases` specify its output for given readings.
@Suite(.endToEnd) struct PriceFormatTests {
    @Test func `a live table shows a reading without waiting for the next tick`() {
        let running = RunningProgram("price-format", ["--style", "table"])
        running.write(quoteLine("1.00", tick: 0, at: .now()) + "\n")
        #expect(running.readLine()?.hasSuffix("BTC-USD") == true)
        #expect(running.readLine()?.hasSuffix("$1.00") == true)
        let result = running.finish()
        #expect(result.status == 0 && result.lines.last?.hasPrefix("Data from ") == true)
    }
}
