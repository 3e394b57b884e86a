import PipeCommon
import TestTraits
import Testing

/// The grammars of the values in a record.
@Suite(.unit) struct ValueTests {
    @Test(arguments: [
        "1", "68901.23", "92066.955", "0.00000001", "000001", "114721.34000000", "999999999999.999999999999",
        "123456789012",
    ])
    func `a price is digits with at most one point, above zero`(text: String) {
        #expect(Price(text)?.text == text)
    }

    @Test(arguments: [
        "", "0", "0.0", "000.000", "-1", "-0", "+1", "NaN", "Infinity", "1e400", "1e5", "1,234.5", "1abc",
        "0x1F", " 1", "1 ",
        ".5", "5.", ".", "1.2.3", "１２", "1\u{0}", "1\n", "1234567890123", "1.1234567890123",
        String(repeating: "9", count: 60),
        "null", "true", "٣",
    ])
    func `anything else is not a price`(text: String) {
        #expect(Price(text) == nil)
    }

    @Test(arguments: ["BTC-USD", "ETH-USD", "btc_usd.x", "1INCH-USD", String(repeating: "A", count: 32)])
    func `a symbol is safe to print and safe as a file's name`(text: String) {
        #expect(Symbol(text)?.text == text)
    }

    @Test(arguments: [
        "", "../x", "a/b", ".hidden", "-x", "a b", "a\u{1B}[31m", "a\u{202E}b", "a\n", "é",
        String(repeating: "A", count: 33),
    ])
    func `anything else is not a symbol`(text: String) {
        #expect(Symbol(text) == nil)
    }

    @Test func `a currency is three capital letters`() {
        #expect(Currency("USD") == .usDollar && Currency("EUR")?.code == "EUR")
        #expect(["", "usd", "US", "USDT", "U$D", "ÜSD"].compactMap(Currency.init).isEmpty)
    }
}
