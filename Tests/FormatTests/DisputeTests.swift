import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// How the board and the details show whether sources agree, and when the details name the market. For disputed prices,
/// the files in `EndToEndTests/Cases` test plain lines and status bars, and `TableTests` tests tables.
@Suite(.unit) struct DisputeTests {
    private static let agreements: [([String], [Failure.Kind], String?)] = [
        (
            ["100.02", "100.00", "99.95", "100.00"], [],
            "4 of 4 within 0.05%: 0 $100.02 (+0.02%), 1 $100.00, 2 $99.95 (-0.05%), 3 $100.00"
        ),
        (["100.00", "100.00"], [], "2 of 2 within 0.00%: 0 $100.00, 1 $100.00"),
        (
            ["40.00", "100.00", "99.95"], [.disputed],
            "2 of 3 within 0.05%: 0 $40.00 (-60.00%), 1 $100.00, 2 $99.95 (-0.05%)"
        ),
        (["100.00", "99.999"], [.timeout, .expired], "2 of 3 within 0.01%: 0 $100.00, 1 $100.00"),
        (
            ["100.00", "100.02", "99.9"], [],
            "3 of 3 within 0.10%: 0 $100.00, 1 $100.02 (+0.02%), 2 $99.90 (-0.10%)"
        ),
        (["100.00"], [], nil),
    ]

    @Test(.fault(64), arguments: agreements)
    func `the details show how many sources agree and how far each price is from the displayed price`(
        prices: [String], failures: [Failure.Kind], words: String?
    ) {
        var reading = Reading(
            answering: anyTick(), anyQuote("100.00"), from: "1", after: failures.map { anyFailure("0", $0) })
        reading.ownDispute = false
        reading.prices = prices.enumerated().map { SourcePrice(source: "\($0)", price: Price($1)!) }
        #expect(Wording.inUTC().agreement(of: reading) == words)
    }

    @Test(
        arguments: [
            ("BTC-USD", "BTCUSDT", "binance: BTCUSDT, 1 USDT = $1.00"), ("BTC-USD", "BTC-USD", nil),
            ("BTC-USD", "btcusd", nil), ("BTC-USD", "XXBTZUSD", "binance: XXBTZUSD"),
            ("BTC-USDT", "BTCUSDT", nil), ("BTC-USD", nil, nil), ("BRK.B", "BRK.B", nil),
        ] as [(String, String?, String?)])
    func `the market is shown if its name differs from the symbol in more than case and punctuation`(
        symbol: String, market: String?, words: String?
    ) {
        let quote = anyQuote(market: market)
        let reading = Reading(answering: anyTick(symbol: symbol), quote, from: "binance")
        #expect(Wording.inUTC().market(of: reading) == words)
    }

    /// A board with a single price, which is disputed because it differs widely from the price of another source.
    private func makeSUT() -> BoardSession {
        var sut = BoardSession()
        var reading = Reading(
            answering: Tick(number: 12, at: sut.now), anyQuote(at: sut.now), from: "coinbase",
            after: [anyFailure("coinbase", .disputed)])
        reading.prices = [("binance", "27550.00"), ("coinbase", "68901.23")].map {
            SourcePrice(source: $0, price: Price($1)!)
        }
        reading.ownDispute = true
        sut.board.record(reading, at: sut.now)
        return sut
    }

    @Test func `a disputed price is used neither for moves nor for the day's range`() {
        var sut = BoardSession()
        for price in [69_999, 70_000] { sut.beat("BTC-USD \(price)") }
        sut.openDay("BTC-USD 70000.00", low: "69000.00", high: "71000.00")
        var reading = Reading(answering: Tick(at: sut.now), anyQuote("100.00", at: sut.now), from: "binance")
        reading.ownDispute = true
        sut.board.record(reading, at: sut.moment)
        let disputed = sut.board.rows[0]
        sut.beat("BTC-USD 70000.01")
        let row = sut.board.rows[0]
        #expect(disputed.move == nil && row.move == nil)
        #expect(sut.board.day(row, at: sut.now)?.low?.text == "69000.00")
    }

    @Test(arguments: [
        (80, "BTC-USD     $68,901.23 ?"), (26, "BTC-USD     $68,901.23 ?"), (20, "BTC-USD $68,901.23 ?"),
        (19, "BTC-U… $68,901.23 ?"), (9, "BTC-USD ?"), (2, "?"), (1, "?"),
    ])
    func `even a board that is only one column wide marks a disputed price with a question mark`(
        columns: Int, line: String
    ) {
        let sut = makeSUT()
        #expect(sut.text(columns, 1).trimmingPrefix { $0 == " " }.hasPrefix(line))
        #expect(sut.text(80, 2).hasPrefix("● live "))
    }

    @Test(arguments: [
        (30, "BTC-USD $68,901.23 ? disputed"), (22, "BTC-USD $68,901.23 ?"), (13, "$68,901.23 ?"),
        (11, "BTC-USD … ?"), (3, "… ?"), (1, "?"),
    ])
    func `a single narrow row may omit "disputed", the symbol and the price, but never the question mark`(
        columns: Int, line: String
    ) {
        var sut = makeSUT()
        sut.type("\r")
        #expect(sut.text(columns, 1) == line)
    }

    @Test func `a line of the details shows the compared prices if they fit, and otherwise only "disputed"`()
    {
        var sut = makeSUT()
        sut.type("\r")
        let words = "? Sources disagree: binance $27,550.00, coinbase $68,901.23"
        #expect(sut.text(80, 24).contains("\n\(words)\n"))
        #expect(sut.text(90, 24).contains("  disputed: binance $27,550.00, coinbase $68,901.23\n"))
        #expect(sut.text(74, 24).contains("  disputed\n"))
        #expect(sut.text(60, 3).hasSuffix("\n\(words)") && sut.text(30, 3).hasSuffix("\n? disputed"))
        #expect(sut.frame(80, 24).title == "BTC-USD $68,901.23 (disputed)")
    }
}
