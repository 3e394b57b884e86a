import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// Today's change: the change since the close of the previous day, in UTC.
@Suite(.unit) struct TodayTests {
    private let midnight = Timestamp("2026-11-22T00:00:00.000Z")!

    /// The candle of the day that begins this many days after the 22nd; closed, unless a time is given.
    private func candle(
        _ day: Int, _ price: String, at time: Timestamp? = nil, currency: String = "USD",
        source: String = "binance"
    ) -> Reading {
        let begin = midnight + .seconds(86_400 * day)
        let quote = Quote(
            price: Price(price)!, currency: Currency(currency)!, timestamp: time ?? begin + .seconds(86_400))
        var reading = Reading(answering: Tick(number: 0, at: begin, candle: .day), quote, from: source)
        reading.isClosed = time == nil
        return reading
    }

    /// A quote that was received this many milliseconds after midnight.
    private func quote(
        _ price: String, _ milliseconds: Int, _ source: String = "binance", market: String? = nil
    ) -> Reading {
        let time = midnight + .milliseconds(milliseconds)
        return Reading(
            answering: Tick(number: 1, at: time), anyQuote(price, at: time, market: market), from: source)
    }

    private func today(_ readings: Reading...) -> Int? {
        var board = Board()
        for reading in readings { board.record(reading, at: reading.at!) }
        return board.rows.first.flatMap(board.today)
    }

    private let noon = 43_200_000

    @Test func `today's change is relative to the closed candle of the previous day`() {
        #expect(today(candle(-1, "100.00"), quote("101.84", noon)) == 184)
        #expect(today(candle(-1, "100.00"), quote("99.68", noon)) == -32)
        #expect(today(quote("101.84", noon), candle(-1, "100.00")) == 184)
        #expect(
            today(
                candle(-1, "100.00"), candle(0, "101.00", at: midnight + .seconds(60)), quote("102.00", noon))
                == 200)
    }

    @Test(arguments: [
        ("100", "100.005", 1), ("100", "100.004999", 0), ("100", "99.995", -1), ("3", "4", 3333),
        ("3", "1", -6667),
        ("0.000000012345", "0.00000002469", 10_000), ("7", "7", 0),
        ("0.000000000001", "999999999999.999999999999", nil),
    ])
    func `today's change is exact, rounded half away from zero, and nil if it is too large`(
        close: String, price: String, hundredths: Int?
    ) {
        #expect(today(candle(-1, close), quote(price, noon)) == hundredths)
    }

    @Test func `a candle of another day, an open one, or one in another currency is not the close`() {
        #expect(today(candle(-2, "100.00"), quote("101.00", noon)) == nil)
        #expect(today(candle(0, "100.00"), quote("101.00", noon)) == nil)
        let open = candle(-1, "100.00", at: midnight + .milliseconds(-1))
        #expect(today(open, quote("101.00", noon)) == nil)
        #expect(today(candle(-1, "100.00", currency: "EUR"), quote("101.00", noon)) == nil)
        var shifted = candle(-1, "100.00")
        shifted.at = midnight + .seconds(-86_399)
        #expect(today(shifted, quote("101.00", noon)) == nil)
    }

    @Test func `the price of a candle that just ended serves as the close until the final close arrives`() {
        let ended = candle(-1, "100.00", at: midnight)
        #expect(today(ended, quote("101.84", 5000)) == 184)
        #expect(today(ended, candle(-1, "50.00"), quote("75.00", noon)) == 5000)
        #expect(today(candle(-1, "50.00"), ended, quote("75.00", noon)) == 5000)
    }

    @Test func `the time of the quote decides the day, even right before and after midnight`() {
        let candles = [candle(-2, "50.00"), candle(-1, "100.00")]
        #expect(today(candles[0], candles[1], quote("101.00", -1)) == 10_200)
        #expect(today(candles[0], candles[1], quote("101.00", 0)) == 100)
    }

    @Test(arguments: [(-60_001, nil), (-60_000, 100), (-1, 100), (0, nil)])
    func `when the day changes, the last quote within a minute before midnight serves as the close`(
        last: Int, hundredths: Int?
    ) {
        #expect(today(candle(-2, "50.00"), quote("100.00", last), quote("101.00", 5000)) == hundredths)
    }

    @Test
    func
        `only the last quote of the same source and market serves as the close, and a candle takes precedence`()
    {
        let old = candle(-2, "50.00")
        #expect(today(old, quote("90.00", -2000), quote("100.00", -1000), quote("101.00", 5000)) == 100)
        #expect(today(old, quote("100.00", -1000, "kraken"), quote("101.00", 5000)) == nil)
        #expect(today(old, quote("100.00", -1000, market: "A"), quote("101.00", 5000, market: "B")) == nil)
        #expect(today(old, quote("100.00", -1000), candle(-1, "200.00"), quote("202.00", 5000)) == 100)
        #expect(today(old, quote("100.00", -1000), quote("101.00", 86_400_000)) == nil)
    }

    @Test func `the close of another source does not count`() {
        #expect(today(candle(-1, "100.00", source: "coinbase"), quote("101.00", noon)) == nil)
        #expect(today(candle(-1, "99.00", source: "kraken"), quote("101.00", noon, "kraken")) == 202)
        #expect(
            today(
                candle(-2, "50.00"), quote("100.00", -1000), candle(-1, "99.00", source: "kraken"),
                quote("101.00", noon)) == 100)
    }

    @Test func `in the last minute of a day, the previous day's close is still used`() {
        let end = 86_400_000
        let old = candle(-2, "50.00")
        #expect(today(old, quote("100.00", -1000), quote("101.00", end - 1)) == 100)
        #expect(today(old, quote("100.00", -1000), quote("101.00", end - 1), quote("102.01", end)) == 100)
    }

    @Test func `a stale price is shown without today's change`() {
        var stale = quote("101.00", noon)
        stale.error = true
        #expect(today(candle(-1, "100.00"), stale) == nil)
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

    @Test func `a percentage is written with its sign as the locale writes it`() {
        let english = MoneyFormatter(locale: ICULocale(identifier: "en_US"))
        let german = MoneyFormatter(locale: ICULocale(identifier: "de_DE"))
        #expect(english.percentage(hundredths: 123_456) == "+1,234.56%")
        #expect(
            english.percentage(hundredths: 0) == "0.00%" && english.percentage(hundredths: 5) == "+0.05%")
        #expect(german.percentage(hundredths: -184) == "-1,84\u{A0}%")
    }

    @Test func `a close is requested once per minute until it arrives`() {
        // Given
        var sut = BoardSession()
        sut.board.hasClock = true
        var asked: [String: [Int]] = [:]
        // When there are prices for 130 seconds and then the close
        for second in 0..<130 {
            sut.beat("BTC-USD 68901.23", "ETH-USD 3512.08")
            for request in sut.board.takeRequests(at: sut.moment) {
                asked[request, default: []].append(second)
            }
            if second == 0 { sut.close("ETH-USD 3500.00") }
        }
        sut.close("BTC-USD 68000.00")
        for _ in 0..<70 {
            sut.beat("BTC-USD 68901.23")
            #expect(sut.board.takeRequests(at: sut.moment) == [])
        }
        // Then
        #expect(asked == ["candles 1d 2 BTC-USD": [0, 60, 120], "candles 1d 2 ETH-USD": [0]])
    }

    @Test func `after midnight the closes are requested a minute later, when exchanges know them`() {
        var sut = BoardSession()
        sut.board.hasClock = true
        sut.wait((9 * 3600 + 56 * 60) * 1000)
        sut.beat("BTC-USD 68901.23")
        #expect(sut.board.takeRequests(at: sut.moment) == ["candles 1d 2 BTC-USD"])
        sut.close("BTC-USD 68000.00")
        let asked = (0..<240).compactMap { _ in
            sut.beat("BTC-USD 68901.23")
            return sut.board.takeRequests(at: sut.moment).isEmpty
                ? nil : String(sut.now.text.suffix(13).prefix(8))
        }
        #expect(asked == ["00:01:00", "00:02:00", "00:03:00"])
    }

    /// The open candle of the 22nd, as the exchange has answered at noon.
    private func openDay(high: String, low: String, source: String = "binance") -> Reading {
        let quote = Quote(
            price: Price("101.00")!, currency: .usDollar, timestamp: midnight + .milliseconds(noon),
            range: CandleRange(open: Price("100.00"), high: Price(high), low: Price(low)))
        return Reading(answering: Tick(number: 0, at: midnight, candle: .day), quote, from: source)
    }

    private func day(_ readings: Reading...) -> [String?] {
        var board = Board()
        for reading in readings { board.record(reading, at: reading.at!) }
        let range = board.rows.first.flatMap(board.day)
        return [range?.low?.text, range?.high?.text]
    }

    @Test func `the range of the day is that of its open candle and of the prices since`() {
        let open = openDay(high: "105", low: "99")
        #expect(day(quote("101.00", noon)) == [nil, nil])
        #expect(day(open, quote("101.00", noon + 1)) == ["99", "105"])
        #expect(
            day(open, quote("98.50", noon + 1), quote("105.01", noon + 2), quote("101.00", noon + 3))
                == ["98.50", "105.01"])
        // The exchange's candle is newer than the prices.
        #expect(
            day(open, quote("98.50", noon - 1), openDay(high: "106", low: "99"), quote("101", noon)) == [
                "99", "106",
            ])
    }

    @Test func `the range of another source, market or day is not the range of the day`() {
        let open = openDay(high: "105", low: "99")
        #expect(day(open, quote("98.00", noon + 1, "kraken")) == [nil, nil])
        #expect(day(open, quote("98.00", noon + 1, "kraken"), quote("101", noon + 2)) == ["99", "105"])
        #expect(day(open, quote("101.00", noon + 1, market: "B")) == [nil, nil])
        #expect(day(open, quote("101.00", 86_400_000)) == [nil, nil])
        #expect(day(candle(0, "101.00", at: midnight + .seconds(60)), quote("102.00", noon)) == [nil, nil])
    }

    @Test func `the range of the day has columns where there is room, but not for a stale price`() {
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
    func `the range of the day is requested every five minutes while it is shown, at most 4 per second`() {
        // Given
        var sut = BoardSession()
        sut.board.hasClock = true
        sut.board.wantsDays = true
        let symbols = (1...6).map { "S\($0)-USD" }
        for symbol in symbols { sut.record("\(symbol) 1.00") }
        #expect(sut.board.takeRequests(at: sut.moment).count == 6)
        for symbol in symbols { sut.close("\(symbol) 1.00") }
        // When
        var asked: [Int: Int] = [:]
        for second in 1...602 {
            sut.wait(1000)
            for symbol in symbols { sut.record("\(symbol) 1.00") }
            if second == 450 { sut.board.wantsDays = false }
            if second == 602 { sut.board.wantsDays = true }
            let requests = sut.board.takeRequests(at: sut.moment)
            #expect(requests.allSatisfy { $0.hasPrefix("candles 1d 1 S") })
            if !requests.isEmpty { asked[second] = requests.count }
        }
        // Then
        #expect(asked == [300: 4, 301: 2, 602: 4])
    }

    @Test(arguments: [("BTC-USD 68901.23", 1), ("BTC-USD", 0)])
    func `no close is requested without a price`(answer: String, count: Int) {
        var sut = BoardSession()
        sut.board.hasClock = true
        sut.beat(answer)
        #expect(sut.board.takeRequests(at: sut.moment).count == count)
        sut.board.toggleClock(at: sut.moment)
        sut.beat("ETH-USD 3512.08")
        #expect(sut.board.takeRequests(at: sut.moment) == [])
    }
}
