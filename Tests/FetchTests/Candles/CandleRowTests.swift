import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

extension CandlePayload {
    var source: PriceSource { PriceSource.all.first { $0.name == rawValue }! }
}

extension CandlePage {
    func price(of beginning: Timestamp) throws(InvalidInput) -> Price { try candle(of: beginning).close }
}

/// The candles in the answers of four exchanges. A candle is identified by its time, not by its position in the answer.
@Suite(.unit) struct CandleRowTests {
    private func table(_ source: PriceSource, _ body: String, _ candle: Candle = .day) throws -> CandlePage {
        try CandlePage(
            JSON(parsing: body.utf8), of: source.market(of: .bitcoin), candle, from: source.candles!,
            received: anyTime())
    }

    /// The closing price of each day from 17 to 21 November, or the reason why this price is missing.
    private func closes(_ exchange: CandlePayload, _ rows: [CandlePayload.Row]) throws -> [String] {
        let table = try table(exchange.source, exchange.body(rows))
        return (17...21).map { day in
            do throws(InvalidInput) {
                return try table.price(of: Timestamp("2026-11-\(day)T00:00:00.000Z")!).text
            } catch {
                return error.reason
            }
        }
    }

    private static let day = Timestamp("2026-11-21T00:00:00.000Z")!

    private let days: [CandlePayload.Row] = (17...21).map { ("2026-11-\($0)T00:00", "688\($0).5") }
    private let expected = (17...21).map { "688\($0).5" }

    @Test(arguments: CandlePayload.allCases)
    func `the closing price of each candle keeps its digits`(exchange: CandlePayload) throws {
        #expect(try closes(exchange, days) == expected)
        #expect(try closes(exchange, [("2026-11-21T00:00", "0.120")]).last == "0.120")
    }

    @Test(arguments: [
        // In the first candle, the close is above the high; in the second, the open is below the low; in the third,
        // the low is above the high.
        ("2", "3", "1", "3.1", "- - - 3.1 7"), ("0.9", "3", "1", "2", "- - - 2 7"),
        ("2", "1", "3", "2", "- - - 2 7"), ("2", "x", "1", "2", "2 - 1 2 7"),
        ("2", "3", "0", "2", "2 3 - 2 7"), ("1.0", "3", "1", "3.0", "1.0 3 1 3.0 7"),
    ])
    func `if the prices of a candle contradict each other, only the closing price is kept`(
        open: String, high: String, low: String, close: String, expected: String
    ) throws {
        let (first, last) = (Self.day.milliseconds, Self.day.milliseconds + 86_399_999)
        let body = #"[[\#(first),"\#(open)","\#(high)","\#(low)","\#(close)","7",\#(last)]]"#
        let row = try table(.binance, body).candle(of: Self.day)
        let values = [row.range.open?.text, row.range.high?.text, row.range.low?.text, row.close.text]
        #expect((values + [row.range.volume?.text]).map { $0 ?? "-" }.joined(separator: " ") == expected)
    }

    @Test(.fault(50), arguments: CandlePayload.allCases)
    func `the order of the rows does not matter`(exchange: CandlePayload) throws {
        #expect(try closes(exchange, days.reversed()) == expected)
        #expect(try closes(exchange, [days[3], days[0], days[4], days[1], days[2]]) == expected)
    }

    @Test(.fault(50), arguments: CandlePayload.allCases)
    func `for a day without a row, there is no candle`(exchange: CandlePayload) throws {
        var holes = expected
        holes[2] = "no candle for 2026-11-19"
        #expect(try closes(exchange, days.filter { !$0.at.hasPrefix("2026-11-19") }) == holes)
        #expect(try closes(exchange, []) == (17...21).map { "no candle for 2026-11-\($0)" })
    }

    @Test(.fault(50), arguments: CandlePayload.allCases)
    func `duplicate rows count once, and contradictory rows affect only their candle`(exchange: CandlePayload)
        throws
    {
        #expect(try closes(exchange, days + days) == expected)
        var unclear = expected
        unclear[1] = "the rows for 2026-11-18 contradict each other"
        #expect(try closes(exchange, days + [("2026-11-18T00:00", "9.99"), days[1]]) == unclear)
        // The same price, written with more digits
        #expect(try closes(exchange, days + [("2026-11-18T00:00", "68818.500")])[1] == "68818.500")
    }

    @Test(
        .fault(50), .fault(11), arguments: CandlePayload.allCases,
        ["-1", "0", "1e15", "1234567890123", "null", "0.0000000000001"])
    func `an invalid closing price affects only its candle`(exchange: CandlePayload, close: String) throws {
        var rows = days
        rows[1].close = close
        let closes = try closes(exchange, rows)
        #expect(closes[1].hasSuffix("is not a price") && closes[0] == expected[0] && closes[2] == expected[2])
    }

    @Test(.fault(50))
    func `a price is rejected if it is written as text instead of a number or as a number instead of text`()
        throws
    {
        let time = Self.day.milliseconds / 1000
        let bodies: [(CandlePayload, String)] = [
            (.binance, "[[\(time)000,\"1\",\"1\",\"1\",1]]"), (.coinbase, "[[\(time),1,1,1,\"1\"]]"),
            (.kraken, #"{"error":[],"result":{"XXBTZUSD":[[\#(time),"1","1","1",1]]}}"#),
            (.bitstamp, #"{"data":{"pair":"BTC/USD","ohlc":[{"timestamp":"\#(time)","close":1}]}}"#),
        ]
        for (exchange, body) in bodies {
            let table = try table(exchange.source, body)
            #expect(throws: InvalidInput.self) { try table.price(of: Self.day) }
        }
    }

    @Test(.fault(10), arguments: CandlePayload.allCases)
    func `an answer with candles of another length is rejected`(exchange: CandlePayload) throws {
        let rows: [CandlePayload.Row] = [("2026-11-20T00:00", "1.5"), ("2026-11-20T01:00", "1.6")]
        let reason =
            "the rows at 2026-11-20T00:00:00.000Z and 2026-11-20T01:00:00.000Z are too close together for 1d candles"
        #expect(throws: InvalidInput(reason)) { try table(exchange.source, exchange.body(rows)) }
        // Candles that are longer than requested, one of which is missing
        let longer = days.filter { !$0.at.hasPrefix("2026-11-19") }
        #expect(throws: InvalidInput("rows that are 86400 s apart are not 1h candles")) {
            try table(exchange.source, exchange.body(longer), .hour)
        }
    }

    /// The rows have the times of Binance's BTCUSDT candles around an outage in February 2018
    /// (binance/binance-public-data#77).
    @Test
    func `rows at odd times after an outage are ignored, but a candle that the outage cut short is used`()
        throws
    {
        let rows = [
            (1_518_044_400_000, 1_518_047_999_999), (1_518_048_000_000, 1_518_049_694_788),
            (1_518_168_494_789, 1_518_172_094_788), (1_518_319_694_789, 1_518_321_600_999),
            (1_518_321_600_000, 1_518_325_199_999), (1_518_325_200_000, 1_518_328_799_999),
        ]
        let texts = rows.enumerated().map { number, row in
            #"[\#(row.0),"1","1","1","\#(number + 1).5","1",\#(row.1)]"#
        }
        let table = try table(.binance, "[\(texts.joined(separator: ","))]", .hour)
        for (number, row) in rows.enumerated() where ![2, 3].contains(number) {
            #expect(try table.price(of: Timestamp(milliseconds: row.0)).text == "\(number + 1).5")
        }
        #expect(throws: InvalidInput("no candle for 2018-02-09 09:28 UTC")) {
            try table.price(of: Timestamp(milliseconds: rows[2].0))
        }
    }

    @Test(.fault(10)) func `a single Binance row for another candle length is not used`() throws {
        for length in [60_000, 3_600_000, 7 * 86_400_000] {
            let table = try table(.binance, CandlePayload.binance.body([days[4]], length: length))
            let reason = "the row that begins at 2026-11-21T00:00:00.000Z is not a 1d candle"
            #expect(throws: InvalidInput(reason)) { try table.price(of: Self.day) }
        }
    }

    @Test(.fault(9, 10), arguments: Sample.lines("candles"))
    func `an answer that is not a list of the pair's candles is rejected`(sample: Sample) throws {
        #expect(throws: InvalidInput(sample.columns[0])) { try table(sample.source, sample.text) }
    }
}
