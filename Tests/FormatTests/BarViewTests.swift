import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The exact texts for status bars.
@Suite(.unit) struct BarViewTests {
    private func show(_ line: String) throws -> String {
        var text = ByteBuffer()
        BarView(.inUTC()).append(try Reading(line: line.utf8), to: &text)
        return text.text
    }

    @Test func `each reading is one line, and a stale price is marked in words`() throws {
        let stale = quoteLine().dropLast() + #","error":true}"#
        #expect(try show(quoteLine()) == "$68,901.23")
        #expect(try show(String(stale)) == "$68,901.23 (stale: Nov 21, 14:03)")
        #expect(try show(failureLine()) == "- (no price)")
        #expect(try show(quoteLine("3012.55", symbol: "ETH-USD")) == "ETH-USD $3,012.55")
    }
}
