import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// Today's change, measured from the close of the previous UTC day, and today's range of prices.
@Suite(.unit) struct TodayTests {
    private let midnight = Timestamp("2026-11-22T00:00:00.000Z")!

    /// A reading in a compact form. `"d-1=100.00"` is the closing price of the day before the 22nd. `"d-1:0=100.00"`
    /// is the price of the same candle at midnight, before the candle was closed. `"60=101.00"` is a price that was
    /// received 60 ms after midnight. `"o=99-105"` is the range of the 22nd until noon. `E` means euros, `@` precedes a
    /// source other than Binance, and `/` precedes a market.
    private func reading(_ text: Substring) throws -> Reading {
        let form = /([do]?)(-?\d*):?(-?\d*)=([\d.]+)-?([\d.]*)(E?)@?(\w*)\/?(\w*)/
        let (_, kind, number, after, price, high, euros, source, market) = try #require(
            text.wholeMatch(of: form)
        ).output
        let place = Int(number) ?? 0
        var time = midnight + .milliseconds(Int(after) ?? (kind == "o" ? noon : place))
        var tick = Tick(number: 1, at: time)
        if !kind.isEmpty { tick = Tick(number: 0, at: midnight + .seconds(86_400 * place), candle: .day) }
        if kind == "d", after.isEmpty { time = tick.at! + .seconds(86_400) }
        let range = CandleRange(open: Price("100.00"), high: Price(String(high)), low: Price(String(price)))
        let quote = Quote(
            price: Price(String(price))!, currency: Currency(euros.isEmpty ? "USD" : "EUR")!, timestamp: time,
            market: market.isEmpty ? nil : InlineText(String(market)), range: kind == "o" ? range : nil)
        var reading = Reading(
            answering: tick, quote, from: source.isEmpty ? "binance" : String(source))
        reading.isClosed = kind == "d" && after.isEmpty
        return reading
    }

    private let noon = 43_200_000

    /// A board that has recorded the given readings. The time of a reading may be written as `noon`.
    private func board(_ readings: String) throws -> Board {
        var board = Board()
        for text in readings.replacing("noon", with: "\(noon)").split(separator: " ") {
            let reading = try reading(text)
            board.record(reading, at: reading.at!)
        }
        return board
    }

    /// Today's change `days` days after the latest reading, in hundredths of a percent; nil if it is unknown.
    private func today(_ readings: String, after days: Int = 0) throws -> Int? {
        let board = try board(readings)
        return board.rows.first.flatMap { board.today($0, at: $0.reading.at! + Candle.day.length * days) }
    }

    @Test(arguments: [
        ("d-1=100.00 noon=101.84", 184), ("d-1=100.00 noon=99.68", -32), ("noon=101.84 d-1=100.00", 184),
        ("d-1=100.00 d0:60000=101.00 noon=102.00", 200),
        // The change is computed exactly and rounded half away from zero.
        ("d-1=100 noon=100.005", 1), ("d-1=100 noon=100.004999", 0), ("d-1=100 noon=99.995", -1),
        ("d-1=3 noon=4", 3333), ("d-1=3 noon=1", -6667), ("d-1=0.000000012345 noon=0.00000002469", 10_000),
        ("d-1=7 noon=7", 0),
    ])
    func `today's change is relative to the close of the previous day's candle`(
        readings: String, hundredths: Int
    ) throws {
        #expect(try today(readings) == hundredths)
    }

    @Test(arguments: [
        "d-2=100.00 noon=101.00", "d0=100.00 noon=101.00", "d-1:-1=100.00 noon=101.00",
        "d-1=100.00E noon=101.00", "d-1=100.00@coinbase noon=101.00",
        // With this close, the change is too large to be shown.
        "d-1=0.000000000001 noon=999999999999.999999999999",
    ])
    func `without a usable close of the previous day, today's change is unknown`(readings: String) throws {
        #expect(try today(readings) == nil)
    }

    @Test
    func `today's change is unknown if the price is stale or the candle does not begin at midnight`() throws {
        for isShifted in [true, false] {
            var (board, close, price) = (Board(), try reading("d-1=100.00"), try reading("\(noon)=101.00"))
            if isShifted { close.at = midnight + .seconds(-86_399) } else { price.error = true }
            for reading in [close, price] { board.record(reading, at: reading.at!) }
            #expect(board.rows.first.flatMap { board.today($0, at: midnight) } == nil)
        }
    }

    @Test(
        arguments: [
            // The price of a candle that just ended serves as the close until the final close arrives.
            ("d-1:0=100.00 5000=101.84", 184), ("d-1:0=100.00 d-1=50.00 noon=75.00", 5000),
            ("d-1=50.00 d-1:0=100.00 noon=75.00", 5000),
            // The time of the quote determines its day, even right before and after midnight.
            ("d-2=50.00 d-1=100.00 -1=101.00", 10_200), ("d-2=50.00 d-1=100.00 0=101.00", 100),
            // Without a candle of the previous day, the close is the last quote from the source and market
            // of the current price, provided that the quote is from the minute before midnight.
            ("d-2=50.00 -60001=100.00 5000=101.00", nil), ("d-2=50.00 -60000=100.00 5000=101.00", 100),
            ("d-2=50.00 -1=100.00 5000=101.00", 100), ("d-2=50.00 0=100.00 5000=101.00", nil),
            ("d-2=50.00 -2000=90.00 -1000=100.00 5000=101.00", 100),
            ("d-2=50.00 -1000=100.00@kraken 5000=101.00", nil),
            ("d-2=50.00 -1000=100.00/A 5000=101.00/B", nil),
            ("d-2=50.00 -1000=100.00/A 5000=101.00/A", 100),
            ("d-2=50.00 -1000=100.00 86400000=101.00", nil),
            // A candle from the source of the current price takes precedence over the last quote.
            ("d-2=50.00 -1000=100.00 d-1=200.00 5000=202.00", 100),
            ("d-1=99.00@kraken noon=101.00@kraken", 202),
            ("d-2=50.00 -1000=100.00 d-1=99.00@kraken noon=101.00", 100),
            // Until the end of the day, the previous day's close is used. From then on, the last price of the
            // day that just ended serves as the close.
            ("d-2=50.00 -1000=100.00 86399999=101.00", 100),
            ("d-2=50.00 -1000=100.00 86399999=101.00 86400000=102.01", 100),
        ] as [(String, Int?)])
    func `the last price before midnight serves as the close until the candle arrives`(
        readings: String, hundredths: Int?
    ) throws {
        #expect(try today(readings) == hundredths)
        #expect(try today(readings, after: 1) == nil, "today's change is unknown for an old price")
    }

    @Test(arguments: [
        ("noon=101.00", ""), ("o=99-105 43200001=101.00", "99-105"),
        ("o=99-105 43200001=98.50 43200002=105.01 43200003=101.00", "98.50-105.01"),
        // A newer candle from the exchange replaces the range that a price has widened.
        ("o=99-105 43199999=98.50 o=99-106 noon=101", "99-106"),
        // The day's range is unknown if the latest price and the candle differ in source, market or day, or if the
        // candle lacks a range. A price from another source does not widen the range.
        ("o=99-105 43200001=98.00@kraken", ""), ("o=99-105 43200001=98.00@kraken 43200002=101", "99-105"),
        ("o=99-105 43200001=101.00/B", ""), ("o=99-105 86400000=101.00", ""),
        ("d0:60000=101.00 noon=102.00", ""),
    ])
    func `the day's range covers the open candle of the day and later prices from the same source`(
        readings: String, range: String
    ) throws {
        let board = try board(readings)
        let day = board.rows.first.flatMap { board.day($0, at: $0.reading.at!) }
        #expect([day?.low?.text, day?.high?.text].compactMap { $0 }.joined(separator: "-") == range)
    }

    @Test func `the column of today's change is absent until a day candle arrives`() {
        var sut = BoardSession()
        sut.beat("BTC-USD 101.84", "ETH-USD 1.00", "XRP-USD 1.00")
        #expect(!sut.text(80, 24).contains("TODAY"))
        sut.close("ETH-USD 1.00", of: .hour)
        #expect(!sut.text(80, 24).contains("TODAY"))
        // When
        sut.close("BTC-USD 100.00")
        sut.close("ETH-USD 1.01")
        // Then
        let lines = sut.text(80, 24).split(separator: "\n")
        #expect(lines.contains("  SYMBOL           PRICE     LAST MOVE      TODAY  1 MIN       AGE  FROM"))
        #expect(lines.contains("  BTC-USD        $101.84                   +1.84%         ▄    0 s  binance"))
        #expect(lines.contains("  ETH-USD          $1.00                   -0.99%         ▄    0 s  binance"))
        #expect(lines.contains("  XRP-USD          $1.00                                  ▄    0 s  binance"))
    }

    @Test func `sorting by change uses today's change once it is known`() {
        var sut = BoardSession()
        sut.beat("A-USD 1.00", "B-USD 1.00", "C-USD 1.00")
        sut.close("B-USD 0.90")
        sut.close("C-USD 1.10")
        sut.type("ss")
        #expect(sut.symbols == ["B-USD", "C-USD", "A-USD"])
        #expect(sut.text(80, 24).contains("   by change today ▾ "))
    }

    @Test func `a close is requested again after ten seconds and then once per minute until it arrives`() {
        // Given
        var sut = BoardSession(hasClock: true)
        var seconds: [String: [Int]] = [:]
        // When prices arrive for 130 seconds, one symbol's prices are missing for five seconds, and the other symbol's
        // close arrives only at the end
        for second in 0..<130 {
            sut.beat(["BTC-USD 68901.23"] + (1...5 ~= second ? [] : ["ETH-USD 3512.08"]))
            for request in sut.board.takeRequests(at: sut.moment) {
                seconds[request, default: []].append(second)
            }
            if [0, 6].contains(second) { sut.close("ETH-USD 3500.00") }
        }
        sut.close("BTC-USD 68000.00")
        for _ in 0..<70 {
            sut.beat("BTC-USD 68901.23")
            #expect(sut.board.takeRequests(at: sut.moment) == [])
        }
        // Then
        #expect(seconds == ["candles 1d 2 BTC-USD": [0, 10, 70], "candles 1d 2 ETH-USD": [0, 6]])
    }

    @Test func `the close of a day is requested a minute after midnight and then once per minute`() {
        var sut = BoardSession(hasClock: true)
        sut.wait((9 * 3600 + 56 * 60) * 1000)
        sut.beat("BTC-USD 68901.23")
        #expect(sut.board.takeRequests(at: sut.moment) == ["candles 1d 2 BTC-USD"])
        sut.close("BTC-USD 68000.00")
        let requests = (0..<240).compactMap { _ in
            sut.beat("BTC-USD 68901.23")
            return sut.board.takeRequests(at: sut.moment).isEmpty
                ? nil : String(sut.now.text.suffix(13).prefix(8))
        }
        #expect(requests == ["00:01:00", "00:02:00", "00:03:00"])
    }

    @Test func `the range of the day is shown if there is room, but not for a stale price`() {
        // Given
        var sut = BoardSession()
        sut.close("BTC-USD 100.00")
        sut.beat("BTC-USD 101.00", "ETH-USD 7.00")
        // When
        sut.openDay("BTC-USD 101.00", low: "99", high: "105.5")
        // Then
        let lines = sut.lines(120, 8)
        #expect(lines[2].contains("      TODAY  DAY LOW  DAY HIGH  1 MIN"), "\(lines[2])")
        #expect(lines[3].contains("     +1.00%   $99.00   $105.50  "), "\(lines[3])")
        #expect(!sut.text(80, 24).contains("DAY LOW"))
        sut.beat("BTC-USD", "ETH-USD 7.00")
        #expect(!sut.text(120, 8).contains("$105.50"))
    }

    @Test
    func `the ranges of the day are requested every five minutes while displayed, up to 4 per second`() {
        // Given
        var sut = BoardSession(hasClock: true)
        sut.board.wantsDays = true
        let symbols = (1...6).map { "S\($0)-USD" }
        for symbol in symbols { sut.record("\(symbol) 1.00") }
        #expect(sut.board.takeRequests(at: sut.moment).count == 6)
        for symbol in symbols { sut.close("\(symbol) 1.00") }
        // When
        var counts: [Int: Int] = [:]
        for second in 1...602 {
            sut.wait(1000)
            for symbol in symbols { sut.record("\(symbol) 1.00") }
            if second == 450 { sut.board.wantsDays = false }
            if second == 602 { sut.board.wantsDays = true }
            let requests = (0..<2).flatMap { _ in sut.board.takeRequests(at: sut.moment) }
            #expect(requests.allSatisfy { $0.hasPrefix("candles 1d 1 S") })
            if !requests.isEmpty { counts[second] = requests.count }
        }
        // Then
        #expect(counts == [300: 4, 301: 2, 602: 4])
    }

    @Test(arguments: [(["A 1", "B"], 1), ((1...101).map { "S\($0) 1" }, 100)] as [([String], Int)])
    func `closes are requested only for symbols with a price, and at most 100 at a time`(
        answers: [String], count: Int
    ) {
        var sut = BoardSession(hasClock: true)
        sut.beat(answers)
        #expect(sut.board.takeRequests(at: sut.moment).count == count)
        sut.board.toggleClock(at: sut.moment)
        sut.beat("ETH-USD 3512.08")
        #expect(sut.board.takeRequests(at: sut.moment) == [])
    }
}
