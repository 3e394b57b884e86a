import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

@Suite(.unit) struct StoredQuoteTests {
    @Test func `it is written as it is read`() throws {
        let line = """
            {"symbol":"BTC-USD","source":"binance","quote":{"value":"68901.23","currency":"USD",\
            "timestamp":"2026-11-21T14:03:07.412Z"}}
            """
        #expect(try StoredQuote(line: line.utf8).text == line)
    }

    @Test(arguments: [
        (
            #"{"source":"x","quote":{"value":"1","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}"#,
            "symbol is missing"
        ),
        (
            #"{"symbol":"BTC-USD","failures":[{"source":"x","kind":"timeout","message":"m"}]}"#,
            "quote is missing"
        ),
    ])
    func `a line without a symbol or a quote is refused`(line: String, reason: String) {
        #expect(throws: InvalidInput(reason)) { try StoredQuote(line: line.utf8) }
    }
}
