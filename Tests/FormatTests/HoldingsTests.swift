import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The user's holdings and their value.
@Suite(.unit) struct HoldingsTests {
    private let file = """
        # mine
        BTC-USD 0.5 20000
        BTC-USD 0.25 40000.5

        eth-usd 10
        """

    private func totals(
        _ file: String, _ prices: [String: String], stale: Set<String> = [], closes: [String: String] = [:]
    )
        -> [HoldingsTotal]
    {
        HoldingsTotal.all(of: Holdings(file)) { symbol in
            prices[symbol.text].map { price in
                let quote = Quote(
                    price: Price(price)!, currency: symbol.currencyOfPair!, timestamp: anyTime())
                let reading = Reading(answering: anyTick(symbol: symbol.text), quote, from: "a")
                return (reading, stale.contains(symbol.text))
            }
        } close: { symbol in
            closes[symbol.text].map { anyQuote($0) }
        }
    }

    @Test func `several lines for the same symbol add up exactly`() {
        let holdings = Holdings(file)
        #expect(holdings[Symbol("BTC-USD")!]?.amount == 750_000_000_000)
        #expect(holdings[Symbol("BTC-USD")!]?.cost == Int128(20_000_125_000_000_000) * 1_000_000_000_000)
        #expect(holdings[Symbol("ETH-USD")!] == Holding(amount: 10_000_000_000_000, cost: nil))
        #expect(holdings.badLines == [])
    }

    @Test(arguments: [
        "BTC-USD", "BTC-USD x", "BTC-USD -1", "BTC-USD 1 2 3", "BTC/USD 1", "BTC-USD 1e3", "BTC-USD 1 -5",
        "BTC-USD 999999999999999999 999999999999999999",
    ])
    func `an invalid line is reported with its number, and the other lines are used`(line: String) {
        let holdings = Holdings("\(line)\r\nETH-USD 1\n")
        #expect(holdings.badLines == [1] && holdings.symbols == [Symbol("ETH-USD")!])
    }

    @Test func `the amount of a holding is shown with the locale's decimal separator and without grouping`() {
        let money = MoneyFormatter(locale: ICULocale(identifier: "de_DE"))
        #expect(money.amount(Volume("1234.5")!.units) == "1234,5" && money.amount(1) == "0,000000000001")
    }

    @Test func `a total consists of the value, the gain and today's change of all holdings`() {
        let totals = totals(
            "BTC-USD 0.1 50000\nETH-USD 3 1000.01", ["BTC-USD": "68901.23", "ETH-USD": "3512.49"],
            closes: ["BTC-USD": "70000", "ETH-USD": "3500.1"])
        let money = MoneyFormatter(locale: ICULocale(identifier: "en_US"))
        #expect(totals.count == 1 && !totals[0].isStale)
        #expect(money.text(amount: totals[0].value!, .usDollar) == "$17,427.59")
        #expect(money.text(amount: totals[0].gain!, .usDollar, hasSign: true) == "+$9,427.56")
        // The value fell from $17,500.30 to $17,427.593, by 0.4155%.
        #expect(totals[0].today == -42)
    }

    @Test func `each currency has one total, which is unknown if a price is missing`() {
        let totals = totals("BTC-EUR 1\nBTC-USD 2\nETH-USD 1 5", ["BTC-EUR": "60000", "BTC-USD": "7"])
        #expect(totals.map(\.currency.code) == ["EUR", "USD"])
        #expect(totals[1].value == nil && totals[1].isStale && totals[1].gain == nil)
        // NVDA is not a pair. Without a price, its currency is unknown, so its value could belong to any total.
        #expect(self.totals("NVDA 1\nBTC-USD 2", ["BTC-USD": "7"]).map(\.value) == [nil])
    }

    @Test func `a stale price makes the total stale`() {
        let prices = ["BTC-USD": "68901.23", "ETH-USD": "3512.49"]
        #expect(totals(file, prices, stale: ["ETH-USD"])[0].isStale && !totals(file, prices)[0].isStale)
    }

    @Test func `the sums of random holdings are exact`() {
        var random = SeededRandom(Seed.value)
        for _ in 0..<200 {
            let lots = (0..<Int.random(in: 1...20, using: &random)).map { _ in
                (
                    Int128.random(in: 1...10_000_000_000, using: &random),
                    Int128.random(in: 1...10_000_000, using: &random)
                )
            }
            // Amounts are in units of 10⁻⁸, and prices are in cents.
            let file = lots.map { amount, cents in
                "X-USD \(Price(units: amount * 10_000)!.text) \(Price(units: cents * 10_000_000_000)!.text)"
            }.joined(separator: "\n")
            let total = totals(file, ["X-USD": "123.45"])[0]
            let (amount, cost) = lots.reduce((Int128(0), Int128(0))) { ($0.0 + $1.0, $0.1 + $1.0 * $1.1) }
            // These products are in units of 10⁻¹⁰, and totals are in units of 10⁻²⁴.
            let unit: Int128 = 100_000_000_000_000
            #expect(
                total.value == amount * 12345 * unit && total.gain == (amount * 12345 - cost) * unit,
                "\(Seed.text)")
        }
    }

    @Test(arguments: [
        (1_234_567, "$1.23"), (5000, "$0.01"), (4999, "$0.004999"), (-1_234_567, "-$1.23"), (0, "$0.00"),
        (12_345_678_900, "$12,345.68"),
    ])
    func `an amount in dollars has two decimals, or more if it is tiny`(millionths: Int128, text: String) {
        let money = MoneyFormatter(locale: ICULocale(identifier: "en_US"))
        let unit: Int128 = 1_000_000_000_000_000_000
        #expect(money.text(amount: millionths * unit, .usDollar) == text)
    }

    @Test func `the board shows the value and gain of each holding, and the total below the rows`() throws {
        var sut = BoardSession()
        sut.board.holdings = Holdings("BTC-USD 0.5 60000\nETH-USD 2")
        sut.beat("BTC-USD 68901.23", "ETH-USD 3512.49")
        try expect(sut.text(120, 12), inFile: "Frames/holdings-120x12")
        // If the column of values does not fit, the total is shown in the column of prices.
        try expect(forms(of: 1...160) { sut.text($0, 12) }, inFile: "Frames/holdings-by-width")
        // A stale price makes the total stale.
        sut.beat("BTC-USD 68901.23", "ETH-USD")
        #expect(sut.text(120, 12).split(separator: "\n")[6].contains("!"))
    }

    @Test(arguments: [
        ("3512.49", false, "$3,512.49  total $41,475.60 (+$5,475.60)"),
        ("3512.49", true, "$3,512.49 (stale: Nov 21, 14:03)  total $41,475.60 (+$5,475.60) (stale)"),
        (nil, true, "- (no price)  total - (no price)"),
    ])
    func `a status bar ends with the total`(price: String?, isStale: Bool, end: String) {
        let first = Reading(answering: anyTick(symbol: "BTC-USD"), anyQuote("68901.23"), from: "a")
        var second = Reading(answering: anyTick(symbol: "ETH-USD"), [anyFailure()])
        if let price { (second.quote, second.source) = (anyQuote(price), "a") }
        second.error = isStale
        var text = ByteBuffer()
        BarLines(.inUTC(), Holdings("BTC-USD 0.5 60000\nETH-USD 2 3000"))
            .append(BarLines.Line(readings: [first, second]), to: &text)
        #expect(text.text == "BTC-USD $68,901.23  ETH-USD \(end)")
    }
}
