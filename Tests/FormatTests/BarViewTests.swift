import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The exact texts for status bars.
@Suite(.unit) struct BarViewTests {
    private func show(_ lines: String...) throws -> String {
        var text = ByteBuffer()
        let readings = try lines.map { try Reading(line: $0.utf8) }
        BarView(.inUTC()).append(
            BarLines.Line(readings: readings, areNamed: readings.count > 1), to: &text)
        return text.text
    }

    @Test func `several symbols are side by side, and each is named`() throws {
        #expect(
            try show(quoteLine(), quoteLine("3012.55", symbol: "ETH-USD"), failureLine(symbol: "XRP-USD"))
                == "BTC-USD $68,901.23  ETH-USD $3,012.55  XRP-USD - (no price)")
    }

    @Test func `a disputed price is marked in words, and a stale one of another year has its year`() throws {
        #expect(try show(disputedReading().text) == "$68,901.23 (disputed)")
        let stale = quoteLine(at: Timestamp("2025-04-09T14:03:07.412Z")!).dropLast() + #","error":true}"#
        #expect(try show(String(stale)) == "$68,901.23 (stale: Apr 9, 2025, 14:03)")
    }

    @Test func `each reading is one line, and a stale price is marked in words`() throws {
        let stale = quoteLine().dropLast() + #","error":true}"#
        #expect(try show(quoteLine()) == "$68,901.23")
        #expect(try show(String(stale)) == "$68,901.23 (stale: Nov 21, 14:03)")
        #expect(try show(failureLine()) == "- (no price)")
        #expect(try show(quoteLine("3012.55", symbol: "ETH-USD")) == "ETH-USD $3,012.55")
    }
}
