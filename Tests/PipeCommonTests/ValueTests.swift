import PipeCommon
import TestTraits
import Testing

/// The grammars of prices, volumes, symbols, currencies and market names.
@Suite(.unit) struct ValueTests {
    struct Grammar: CustomTestStringConvertible, Sendable {
        let rule: String
        /// - Returns: the value as text; nil if the text is rejected.
        let read: @Sendable (String) -> String?
        let accepted, rejected: [String]
        var testDescription: String { rule }
    }

    private static func repeated(_ text: String, _ count: Int) -> String {
        String(repeating: text, count: count)
    }

    @Test(arguments: [
        Grammar(
            rule: "a price consists of digits with at most one decimal point and is above zero",
            read: { Price($0)?.text },
            accepted: [
                "1", "68901.23", "92066.955", "0.00000001", "000001", "114721.34000000", "123456789012",
                "999999999999.999999999999",
            ],
            rejected: [
                "", "0", "0.0", "000.000", "-1", "-0", "+1", "NaN", "Infinity", "1e400", "1e5", "1,234.5",
                "1abc", "0x1F", " 1", "1 ", ".5", "5.", ".", "1.2.3", "１２", "1\u{0}", "1\n", "null", "true",
                "٣", "1234567890123", "1.1234567890123", repeated("9", 60),
            ]),
        Grammar(
            rule: "a volume may be zero, and it may have up to 18 digits before the point",
            read: { Volume($0)?.text },
            accepted: ["0", "0.0", "1", "148976.11427815", "123456789012345678.123456789012"],
            rejected: [
                "", ".", "-1", "+1", "1.", ".5", "1.2.3", "1e5", " 1", "1,0", "1234567890123456789",
                "0.1234567890123",
            ]),
        Grammar(
            rule: "a symbol can be printed safely and used as a file name", read: { Symbol($0)?.text },
            accepted: ["BTC-USD", "ETH-USD", "btc_usd.x", "1INCH-USD", repeated("A", 32)],
            rejected: [
                "", "../x", "a/b", ".hidden", "-x", "a b", "a\u{1B}[31m", "a\u{202E}b", "a\n", "é",
                repeated("A", 33),
            ]),
        Grammar(
            rule: "a currency code consists of 3 to 5 capital letters or digits and begins with a letter",
            read: { Currency($0)?.code },
            accepted: ["USD", "EUR", "USDT", "USDC1", "A1B"],
            rejected: ["", "usd", "US", "USDTXX", "1INCH", "U$D", "US D", "ÜSD", "USDt"]),
        Grammar(
            rule: "a market name consists of 1 to 32 visible ASCII characters that JSON does not escape",
            read: { InlineText($0)?.text },
            accepted: ["BTCUSDT", "XBT/USD", "btcusd", "a", "~!#", repeated("m", 32)],
            rejected: [
                "", "a b", "a\u{1B}b", "a\"b", "a\\b", "é", "a\n", repeated("m", 33), repeated("m", 256),
                repeated("m", 259),
            ]),
    ])
    func `each kind of value is accepted in its own format, and other text is rejected`(sut: Grammar) {
        for text in sut.accepted { #expect(sut.read(text) == text) }
        for text in sut.rejected { #expect(sut.read(text) == nil, "\(text)") }
    }

    @Test(arguments: [
        ("0.000000000001", 1), ("1", 1_000_000_000_000), ("68901.23", 68_901_230_000_000_000),
        ("000001.50", 1_500_000_000_000),
        ("999999999999.999999999999", 999_999_999_999_999_999_999_999),
    ])
    func `prices and volumes are converted exactly to multiples of 1e-12`(text: String, units: Int128) {
        #expect(Price(text)?.units == units && Volume(text)?.units == units)
    }

    @Test func `two currencies are equal if and only if their codes are equal`() {
        #expect(Currency("USD") == .usDollar && Currency("USDT") != .usDollar)
        #expect(Currency("USD")?.utf8 == InlineText("USD"))
    }
}
