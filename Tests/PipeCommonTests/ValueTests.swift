import PipeCommon
import TestTraits
import Testing

/// The grammars of prices, symbols, currencies and market names.
@Suite(.unit) struct ValueTests {
    @Test(arguments: [
        "1", "68901.23", "92066.955", "0.00000001", "000001", "114721.34000000", "999999999999.999999999999",
        "123456789012",
    ])
    func `a price consists of digits with at most one decimal point and is above zero`(text: String) {
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

    @Test(arguments: ["0", "0.0", "1", "148976.11427815", "123456789012345678.123456789012"])
    func `a volume may be zero`(text: String) {
        #expect(Volume(text)?.text == text)
    }

    @Test(arguments: [
        "", ".", "-1", "+1", "1.", ".5", "1.2.3", "1e5", " 1", "1,0", "1234567890123456789",
        "0.1234567890123",
    ])
    func `anything else is not a volume`(text: String) {
        #expect(Volume(text) == nil)
    }

    @Test(arguments: [
        ("0.000000000001", 1), ("1", 1_000_000_000_000), ("68901.23", 68_901_230_000_000_000),
        ("000001.50", 1_500_000_000_000),
        ("999999999999.999999999999", 999_999_999_999_999_999_999_999),
    ])
    func `a price is known exactly in units of a million millionth`(text: String, units: Int128) {
        #expect(Price(text)?.units == units && Volume(text)?.units == units)
    }

    @Test(arguments: ["BTC-USD", "ETH-USD", "btc_usd.x", "1INCH-USD", String(repeating: "A", count: 32)])
    func `a symbol can be printed safely and used as a file name`(text: String) {
        #expect(Symbol(text)?.text == text)
    }

    @Test(arguments: [
        "", "../x", "a/b", ".hidden", "-x", "a b", "a\u{1B}[31m", "a\u{202E}b", "a\n", "é",
        String(repeating: "A", count: 33),
    ])
    func `anything else is not a symbol`(text: String) {
        #expect(Symbol(text) == nil)
    }

    @Test(arguments: ["USD", "EUR", "USDT", "USDC1", "A1B"])
    func `a currency is 3 to 5 capital letters or digits, beginning with a letter`(code: String) {
        #expect(Currency(code)?.code == code)
    }

    @Test func `two currencies are equal if their codes are`() {
        #expect(Currency("USD") == .usDollar && Currency("USDT") != .usDollar)
    }

    @Test(arguments: ["", "usd", "US", "USDTXX", "1INCH", "U$D", "US D", "ÜSD", "USDt"])
    func `anything else is not a currency`(text: String) {
        #expect(Currency(text) == nil)
    }

    @Test(arguments: ["BTCUSDT", "XBT/USD", "btcusd", "a", String(repeating: "m", count: 32), "~!#"])
    func `a market name consists of 1 to 32 visible characters`(name: String) {
        #expect(InlineText(name)?.text == name)
    }

    @Test(arguments: ["", "a b", "a\u{1B}b", "a\"b", "a\\b", "é", "a\n", String(repeating: "m", count: 33)])
    func `a market name is written to JSON without escapes`(name: String) {
        #expect(InlineText(name) == nil)
    }
}
