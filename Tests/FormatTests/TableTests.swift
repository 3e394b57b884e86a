import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The table: its lines, and how they are laid out.
@Suite(.unit) struct TableTests {
    private var table = Table()
    private var view: TableView
    private var shown: [String] = []
    /// A quarter past two in the afternoon of day 0.
    private let now = anyTime()
    private let instant = Deadline.Instant.now

    init() {
        view = Self.makeView()
    }

    private static func makeView(
        locale: String = "en_US", usesColor: Bool = false, columns: Int? = nil
    ) -> TableView {
        let icu = ICULocale(identifier: locale)
        let days = LocalTimeFormatter(format: TimeFormat.day(in: icu), locale: icu, offset: { _ in 0 })
        return TableView(
            .inUTC(locale: locale), Palette(usesColor: usesColor), days: days, columns: { columns })
    }

    /// The reading of a day candle; the candle of day 0 is open.
    private func day(
        _ day: Int, _ price: String?, _ symbol: String = "BTC-USD", source: String = "kraken",
        isStale: Bool = false
    ) -> Reading {
        let tick = dayTick(40 + day, symbol: symbol, day: day)
        let end = tick.at! + Candle.day.length
        var reading = Reading(answering: tick, [anyFailure()])
        if let price {
            reading = Reading(answering: tick, anyQuote(price, at: min(end, now)), from: source)
        }
        reading.error = price == nil || isStale
        reading.isClosed = price != nil && end <= now
        return reading
    }

    private func beat(_ tick: Int, _ price: String?, _ symbol: String = "BTC-USD", isStale: Bool = false)
        -> Reading
    {
        var reading = day(0, price, symbol, isStale: isStale)
        (reading.tick, reading.at, reading.candle) = (tick, anyTime(tick * 1000), nil)
        return reading
    }

    private mutating func show(_ readings: [Reading]) {
        for reading in readings { add(table.record(reading, at: instant)) }
    }

    private mutating func add(_ lines: [TableLine]) {
        shown += view.text(lines, table.symbols, at: now).map(\.1)
    }

    private mutating func finish(at time: Timestamp? = nil) {
        add(table.due(at: nil))
        shown.append(view.footer(table, at: time ?? now))
    }

    // MARK: Days

    @Test mutating func `each day gets a line with the price and change of each symbol, and today is open`() {
        show(
            (-3...0).flatMap {
                [day($0, "\(68_000 + 100 * $0).00"), day($0, "\(3000 - 7 * $0).50", "ETH-USD")]
            })
        finish()
        #expect(
            shown == [
                "                 BTC-USD              ETH-USD",
                "Nov 19, 2026  $67,800.00   +0.15%   $3,014.50   -0.23%",
                "Nov 20, 2026  $67,900.00   +0.15%   $3,007.50   -0.23%",
                "Nov 21, 2026  $68,000.00   +0.15%   $3,000.50   -0.23% open",
                "Data from Nov 21, 14:03",
            ])
    }

    @Test mutating func `the first candle only serves for comparison, unless it is the only one`() {
        show([day(0, "1.00")])
        finish()
        #expect(shown.count == 3 && shown[1].hasSuffix("open") && !shown[1].contains("%"))
    }

    @Test mutating func `a candle that is requested again is not compared with a later one`() {
        show([day(-1, "100.00"), day(0, "110.00")])
        add(table.due(at: nil))
        show([day(-1, "100.00"), day(0, "120.00")])
        add(table.due(at: nil))
        #expect(
            shown.dropFirst() == [
                "Nov 21, 2026     $110.00  +10.00% open", "Nov 20, 2026     $100.00",
                "Nov 21, 2026     $120.00  +20.00% open",
            ])
    }

    @Test mutating func `beats are not compared with candles, nor candles of two lengths with each other`() {
        var hour = day(-1, "300.00")
        (hour.candle, hour.quote) = (.hour, anyQuote("300.00", at: hour.at! + Candle.hour.length))
        show([day(-1, "100.00"), day(0, "110.00"), beat(1, "200.00"), hour, beat(2, "220.00")])
        finish()
        #expect(shown.count { $0.contains("%") } == 2)
        #expect(shown.contains { $0.contains("$110.00  +10.00%") })
        #expect(shown.contains { $0.contains("$220.00  +10.00%") })
    }

    @Test mutating func `candles are sorted by time, however their symbols arrive`() {
        let dollars = (-3...0).map { day($0, "2.00") }
        let ethers = (-3...0).map { day($0, "3.00", "ETH-USD") }
        show(dollars + ethers.reversed())
        finish()
        #expect(
            shown.count == 5
                && shown.dropFirst().prefix(3).allSatisfy { $0.contains("$2.00") && $0.contains("$3.00") })
    }

    @Test mutating func `a missing candle is a dash, and the change of the following day is blank`() {
        show([day(-3, "1.00"), day(-2, nil), day(-1, "2.00"), day(0, "3.00")])
        finish()
        #expect(
            shown == [
                "                 BTC-USD", "Nov 19, 2026           -", "Nov 20, 2026       $2.00",
                "Nov 21, 2026       $3.00  +50.00% open", "Data from Nov 21, 14:03",
            ])
    }

    @Test mutating func `closing prices are compared across sources, prices of beats are not`() {
        show([day(-2, "1.00"), day(-1, "2.00", source: "coinbase"), day(0, "3.00")])
        finish()
        #expect(shown[1].hasSuffix("+100.00%") && shown[2].hasSuffix("+50.00% open"))
        var other = beat(2, "2.00")
        other.source = "coinbase"
        show([beat(1, "1.00"), other])
        #expect(shown.last?.hasSuffix("$2.00  coinbase") == true)
    }

    @Test mutating func `the header says that prices are made up`() {
        var madeUp = beat(1, "1.00")
        madeUp.isMadeUp = true
        show([madeUp, beat(2, "2.00")])
        finish()
        #expect(shown[0] == "made up           BTC-USD", "\(shown[0])")
    }

    @Test mutating func `a small change between two beats has four decimals`() {
        show([beat(1, "68000.00"), beat(2, "68002.10"), beat(3, "68000.00"), beat(4, "68000.00")])
        show([beat(5, "68100.00"), beat(6, "68100.01")])
        finish()
        let changes = shown.dropFirst(2).dropLast().map { $0.suffix(10) }
        #expect(changes == ["  +0.0031%", "  -0.0031%", "     0.00%", "    +0.15%", "     0.00%"])
    }

    @Test mutating func `a change of zero is printed without a sign`() {
        show([day(-2, "1.00"), day(-1, "1.00"), day(0, "1.000001")])
        finish()
        #expect(shown[1].hasSuffix("    0.00%") && shown[2].hasSuffix("    0.00% open"))
    }

    // MARK: Out of date

    @Test mutating func `today's price with the error flag is stale, and the data is out of date`() {
        show([day(-1, "1.00"), day(0, "2.00", isStale: true)])
        finish(at: now + .seconds(7200))
        #expect(shown[1].hasSuffix("$2.00    stale"))
        #expect(shown.last == "Out of date: from Nov 21, 14:03, 2 h ago")
    }

    @Test mutating func `a closing price is valid even with the error flag`() {
        show([day(-2, "1.00", isStale: true), day(-1, "2.00", isStale: true), day(0, "3.00")])
        finish()
        #expect(shown[1].hasSuffix("+100.00%") && shown.last == "Data from Nov 21, 14:03")
    }

    @Test(arguments: [(3_599_999, true), (3_600_000, false)])
    mutating func `today's price is out of date when it is an hour old`(age: Int, isGood: Bool) {
        show([day(-1, "1.00"), day(0, "2.00")])
        finish(at: now + .milliseconds(age))
        #expect(shown.last?.hasPrefix("Data from") == isGood)
    }

    @Test mutating func `without today's price the data is out of date and dated to the end of yesterday`() {
        show([day(-2, "1.00"), day(-1, "2.00"), day(0, nil)])
        finish()
        #expect(shown.last == "Out of date: from Nov 21, 00:00, 14 h ago")
    }

    @Test mutating func `the price of a past day is stale if it is not the closing price`() {
        show([day(-1, "1.00"), day(0, "2.00")])
        let tomorrow = now + .seconds(86_400)
        let line = table.due(at: nil)
        #expect(view.text(line, table.symbols, at: tomorrow).last?.1.hasSuffix("stale") == true)
        #expect(view.footer(table, at: tomorrow) == "Out of date: from Nov 21, 14:03, 1 d ago")
    }

    @Test mutating func `right after its end a day is not stale, unless its price carries the error flag`() {
        let midnight = Candle.day.beginning(of: now)
        var (yesterday, today) = (day(-1, "2.00"), day(0, "3.00"))
        (yesterday.quote, yesterday.isClosed) = (anyQuote("2.00", at: midnight), false)
        today.quote = anyQuote("3.00", at: midnight + .seconds(5))
        show([day(-2, "1.00"), yesterday, today])
        let lines = view.text(table.due(at: nil), table.symbols, at: midnight + .seconds(6)).map(\.1)
        #expect(lines[1].hasSuffix("$2.00  +100.00%") && lines[2].hasSuffix("$3.00   +50.00% open"))
        // When
        yesterday.error = true
        show([yesterday])
        let last = view.text(table.due(at: nil), table.symbols, at: midnight + .seconds(7)).last?.1
        #expect(last?.hasSuffix("stale") == true)
    }

    @Test mutating func `lines of candles are held back longer than lines of current prices`() {
        show([day(-1, "1.00"), day(0, "2.00")])
        #expect(table.deadline == Deadline(in: .seconds(10), from: instant))
    }

    // MARK: Beats

    @Test mutating func `a beat is printed when all symbols have answered, or when the next beat begins`() {
        show([beat(0, "1.00"), beat(0, "2.00", "ETH-USD")])
        #expect(shown == [], "there may be more symbols")
        show([beat(1, "1.00")])
        #expect(shown.count == 2 && table.deadline == Deadline(in: .seconds(1), from: instant))
        show([beat(1, "2.00", "ETH-USD")])
        #expect(shown.count == 3 && table.deadline == nil)
        #expect(shown[2].hasPrefix("Nov 21, 14:03"))
    }

    @Test mutating func `a late answer gets its own line`() {
        show([beat(0, "1.00"), beat(0, "2.00", "ETH-USD"), beat(1, "1.10"), beat(1, "2.20", "ETH-USD")])
        show([beat(0, "9.00", "ETH-USD"), beat(2, "1.21"), beat(2, "2.42", "ETH-USD")])
        #expect(shown.count == 5 && shown[3].hasSuffix("$9.00"))
        #expect(shown[4].contains("$1.21  +10.00%") && shown[4].hasSuffix("$2.42  +10.00%"))
    }

    @Test mutating func `a late answer counts as data`() {
        show([beat(0, nil), beat(0, nil, "ETH-USD"), beat(1, nil), beat(1, nil, "ETH-USD"), beat(0, "9.00")])
        finish()
        #expect(table.hasQuotes && shown.last == "Out of date: from Nov 21, 14:03, 0 s ago")
    }

    @Test mutating func `a symbol that has not answered shows a dash, and the last line names it`() {
        show([beat(0, "1.00"), beat(0, "2.00", "ETH-USD"), beat(1, "1.10"), beat(60, "1.20")])
        finish(at: anyTime(60_000))
        #expect(shown.suffix(3).dropLast().allSatisfy { $0.hasSuffix("           -") })
        #expect(shown.last == "Out of date: ETH-USD from Nov 21, 14:03, 1 min ago")
    }

    @Test mutating func `a symbol without any price is named in the last line`() {
        show([beat(0, "1.00"), beat(0, nil, "ETH-USD")])
        finish()
        #expect(shown.last == "No data of ETH-USD, the others from Nov 21, 14:03")
        show([beat(1, "1.00"), beat(1, nil, "ETH-USD"), beat(1, nil, "XRP-USD")])
        finish()
        #expect(shown.last == "No data of 2 of 3 symbols, the others from Nov 21, 14:03")
    }

    @Test mutating func `a stale price is marked, and its change and the next one are blank`() {
        show([beat(0, "1.00"), beat(1, "1.00", isStale: true), beat(2, "2.00"), beat(3, "3.00")])
        #expect(shown[2].hasSuffix("$1.00    stale") && shown[3].hasSuffix("$2.00"))
        #expect(shown[4].hasSuffix("+50.00%"))
    }

    // MARK: Layout

    @Test mutating func `a new symbol gets a new column and a new header`() {
        show([beat(0, "1.00"), beat(1, "1.00"), beat(1, "2.00", "ETH-USD"), beat(2, "1.00")])
        finish()
        #expect(shown.filter { $0.contains("BTC-USD") }.count == 2)
    }

    @Test mutating func `the prices of a symbol are shown with as many decimals as the most precise so far`()
    {
        show([day(-2, "0.2355"), day(-1, "0.23518"), day(0, "0.2"), day(-2, "7.00", "ETH-USD")])
        finish()
        #expect(
            shown.dropFirst().prefix(2) == [
                "Nov 20, 2026    $0.23518   -0.14%           -",
                "Nov 21, 2026    $0.20000  -14.96%           -          open",
            ])
        show([beat(1, "0.3", "BTC-USD"), beat(1, "7.00", "ETH-USD")])
        finish()
        #expect(shown.dropLast().last?.hasSuffix("$0.30000                $7.00") == true)
    }

    @Test mutating func `a column is as wide as its widest text`() {
        show([beat(0, "1.00"), beat(1, "123456789012.00"), beat(2, "2.00")])
        #expect(shown.suffix(2).map(\.columns).first == shown[2].columns)
        #expect(shown[2].contains("$123,456,789,012.00"))
        #expect(shown[3].contains("              $2.00"))
    }

    @Test(arguments: [
        (
            59,
            """
                             BTC-USD              ETH-USD
            Nov 20, 2026  $67,900.00   +0.15%   $3,000.00   +0.10%
            Nov 21, 2026  $68,000.00   +0.15%   $3,003.00    stale open
            """
        ),
        (
            58,
            """
                             BTC-USD              ETH-USD
            Nov 20, 2026  $67,900.00   +0.15%   $3,000.00   +0.10%
            Nov 21, 2026  $68,000.00   +0.15%   $3,003.00    stale
            """
        ),
        (
            53,
            """
                             BTC-USD
            Nov 20, 2026  $67,900.00   +0.15%
            Nov 21, 2026  $68,000.00   +0.15% open

                             ETH-USD
            Nov 20, 2026   $3,000.00   +0.10%
            Nov 21, 2026   $3,003.00    stale
            """
        ),
        (
            23,
            """
                            BTC-USD
                            ETH-USD
            Nov 20, 2026          …
                           +0.15%
                          $3,000.00
                           +0.10%
            Nov 21, 2026          …
                           +0.15%
                          $3,003.00
                            stale
            """
        ),
    ])
    mutating func `no price is cut at the edge of the terminal`(columns: Int, expected: String) {
        view = Self.makeView(columns: columns)
        show([day(-2, "67800.00"), day(-1, "67900.00"), day(0, "68000.00")])
        show([day(-2, "2997.00", "ETH-USD"), day(-1, "3000.00", "ETH-USD")])
        show([day(0, "3003.00", "ETH-USD", isStale: true)])
        add(table.due(at: nil))
        #expect(shown.joined(separator: "\n") == expected)
    }

    @Test mutating func `times, prices and changes are written as in the chosen locale`() {
        view = Self.makeView(locale: "de_DE")
        show([day(-2, "68000.00"), day(-1, "67000.00"), day(0, "68901.23")])
        finish()
        #expect(
            shown[1] == "20. Nov. 2026  67.000,00\u{A0}$  -1,47\u{A0}%"
                && shown[2].hasSuffix("+2,84\u{A0}% open"))
    }

    @Test mutating func `changes are green or red, and an out-of-date last line is red`() {
        view = Self.makeView(usesColor: true)
        show([day(-3, "2.00"), day(-2, "3.00"), day(-1, "2.00"), day(0, nil)])
        finish()
        #expect(shown[1].hasSuffix("\u{1B}[32m+50.00%\u{1B}[0m"))
        #expect(shown[2].hasSuffix("\u{1B}[31m-33.33%\u{1B}[0m"))
        #expect(shown.last?.hasPrefix("\u{1B}[31mOut of date: ") == true)
    }
}
