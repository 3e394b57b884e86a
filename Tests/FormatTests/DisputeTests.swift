import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// A fresh price that is very different from the price of another source.
func disputedReading(
    _ price: String = "68901.23", symbol: String? = nil, at time: Timestamp = anyTime(),
    prices: KeyValuePairs<String, String> = ["binance": "27550.00", "coinbase": "68901.23"]
) -> Reading {
    var reading = Reading(
        answering: Tick(number: 12, at: time, symbol: symbol.flatMap(Symbol.init)), anyQuote(price, at: time),
        from: "coinbase", after: [Failure(source: "coinbase", kind: .disputed, message: "for people")])
    reading.prices = prices.map { SourcePrice(source: $0, price: Price($1)!) }
    reading.ownDispute = true
    return reading
}

/// How each style shows that sources disagree.
@Suite(.unit) struct DisputeTests {
    private func plain(_ readings: Reading...) throws -> [String] {
        var style = PlainLines(.inUTC(), Palette(usesColor: false))
        return readings.map { reading in
            var text = ByteBuffer()
            style.append(reading, to: &text)
            return text.text
        }
    }

    @Test func `a line above the price names the sources when the dispute begins, and once per minute`()
        throws
    {
        let dispute = "Sources disagree: binance $27,550.00, coinbase $68,901.23\n"
        let (price, later) = ("Nov 21, 14:03 - $68,901.23", "Nov 21, 14:04 - $68,901.23")
        let readings = [0, 1000, 59_999, 60_000, 60_001].map { disputedReading(at: anyTime($0)) }
        #expect(
            try plain(readings[0], readings[1], readings[2], readings[3], readings[4])
                == [dispute + price, price, later, dispute + later, later])
        let agreed = Reading(answering: anyTick(), anyQuote(), from: "coinbase")
        #expect(try plain(readings[0], agreed, readings[1]) == [dispute + price, price, dispute + price])
    }

    @Test func `each symbol has its own dispute, and symbols other than BTC-USD are named`() throws {
        let lines = try plain(
            disputedReading(),
            disputedReading("3012.55", symbol: "ETH-USD", prices: ["kraken": "1", "coinbase": "3012.55"]))
        #expect(lines[0].hasPrefix("Sources disagree: "))
        #expect(
            lines[1] == """
                Sources disagree on ETH-USD: kraken $1.00, coinbase $3,012.55
                Nov 21, 14:03 - ETH-USD $3,012.55
                """)
    }

    @Test(
        .fault(64),
        arguments: [
            ("100.02 100.00 99.95 100.00", [], "4 of 4 within 0.05%"),
            ("100.00 100.00", [], "2 of 2 within 0.00%"),
            ("40.00 100.00 99.95", [.disputed], "2 of 3 within 0.05%"),
            ("100.00 99.999", [.timeout], "2 of 3 within 0.01%"),
        ] as [(String, [Failure.Kind], String)])
    func `the details say how closely the compared prices agree`(
        prices: String, failures: [Failure.Kind], words: String
    ) throws {
        var reading = Reading(
            answering: anyTick(), anyQuote("100.00"), from: "0", after: failures.map { anyFailure("9", $0) })
        reading.ownDispute = false
        reading.prices = prices.split(separator: " ").enumerated().map {
            SourcePrice(source: "\($0)", price: Price(String($1))!)
        }
        let text = try #require(Wording.inUTC().agreement(of: reading))
        #expect(text.hasPrefix(words + ": 0 $") && text.contains(", 1 $"))
        reading.prices = []
        #expect(Wording.inUTC().agreement(of: reading) == nil)
    }

    @Test func `the details say how far each compared price is from the one that is shown`() {
        var reading = Reading(answering: anyTick(), anyQuote("100.00"), from: "a")
        reading.ownDispute = false
        reading.prices = [("a", "100.00"), ("b", "100.02"), ("c", "99.9")].map {
            SourcePrice(source: $0, price: Price($1)!)
        }
        let text = Wording.inUTC().agreement(of: reading)
        #expect(text == "3 of 3 within 0.10%: a $100.00, b $100.02 (+0.02%), c $99.90 (-0.10%)")
    }

    @Test(
        arguments: [
            ("BTC-USD", "BTCUSDT", "binance: BTCUSDT, 1 USDT = $1.00"), ("BTC-USD", "BTC-USD", nil),
            ("BTC-USD", "btcusd", nil), ("BTC-USD", "XXBTZUSD", "binance: XXBTZUSD"),
            ("BTC-USDT", "BTCUSDT", nil), ("BTC-USD", nil, nil),
        ] as [(String, String?, String?)])
    func `the details name the market where it is not that of the symbol`(
        symbol: String, market: String?, words: String?
    ) {
        let quote = anyQuote(market: market)
        let reading = Reading(answering: anyTick(symbol: symbol), quote, from: "binance")
        #expect(Wording.inUTC().market(of: reading) == words)
    }

    @Test func `in a recording of an earlier version the dispute is described by its failure`() throws {
        var reading = disputedReading(prices: [:])
        reading.ownDispute = nil
        #expect(try plain(reading)[0].hasPrefix("Sources disagree: for people\n"))
    }

    @Test func `a price that wins against a source of the same name is not disputed`() throws {
        var reading = disputedReading()
        reading.ownDispute = false
        #expect(try plain(reading) == ["Nov 21, 14:03 - $68,901.23"])
    }

    @Test func `a stale price is not disputed`() throws {
        var reading = disputedReading()
        reading.error = true
        #expect(try plain(reading)[0].hasPrefix("Failed to update value."))
    }

    @Test(arguments: [
        (80, "BTC-USD     $68,901.23 ?"), (26, "BTC-USD     $68,901.23 ?"), (20, "BTC-USD $68,901.23 ?"),
        (19, "BTC-U… $68,901.23 ?"), (9, "BTC-USD ?"), (2, "?"), (1, "?"),
    ])
    func `on the board a disputed price is marked with a question mark, which is left out after the price`(
        columns: Int, line: String
    ) {
        var sut = BoardSession()
        sut.board.record(disputedReading(at: sut.now), at: sut.now)
        #expect(sut.text(columns, 1).trimmingPrefix { $0 == " " }.hasPrefix(line))
        #expect(sut.text(80, 2).hasPrefix("● live "))
    }

    @Test func `the details list the prices if they fit, otherwise the word or the mark of a dispute`() {
        var sut = BoardSession()
        sut.board.record(disputedReading(at: sut.now), at: sut.now)
        sut.type("\r")
        let words = "? Sources disagree: binance $27,550.00, coinbase $68,901.23"
        #expect(sut.text(80, 24).contains("\n\(words)\n"))
        #expect(sut.text(90, 24).contains("  disputed: binance $27,550.00, coinbase $68,901.23\n"))
        #expect(sut.text(60, 3).hasSuffix("\n\(words)") && sut.text(30, 3).hasSuffix("\n? disputed"))
        #expect(
            sut.text(30, 1) == "BTC-USD $68,901.23 ? disputed" && sut.text(22, 1) == "BTC-USD $68,901.23 ?")
        #expect(
            sut.text(13, 1) == "$68,901.23 ?" && sut.text(11, 1) == "BTC-USD … ?" && sut.text(3, 1) == "… ?"
                && sut.text(1, 1) == "?")
        #expect(sut.frame(80, 24).title == "BTC-USD $68,901.23 (disputed)")
    }

    @Test func `in a table a disputed price is marked, and no change is computed from it`() {
        var table = Table()
        let view = TableView(
            .inUTC(), Palette(usesColor: false),
            days: LocalTimeFormatter(format: "d", locale: ICULocale(identifier: "en_US"), offset: { _ in 0 }))
        let prices = ["1.00", "2.00", "3.00", "6.00"]
        let lines = prices.enumerated().flatMap { index, price in
            var reading = disputedReading(price, at: anyTime(index * 1000))
            if index != 1 { (reading.failures, reading.ownDispute) = ([], nil) }
            reading.tick = index
            return table.record(reading, at: .now)
        }
        var shown = view
        let texts = shown.text(lines, table.symbols, at: anyTime()).map(\.1)
        #expect(
            texts.dropFirst().map { $0.split(separator: " ").last } == [
                "$1.00", "disputed", "$3.00", "+100.00%",
            ])
    }
}
