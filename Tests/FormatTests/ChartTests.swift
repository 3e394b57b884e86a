import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// Prices over a range of time, drawn in dots.
@Suite(.unit) struct ChartTests {
    private static let now = Timestamp("2026-11-21T14:03:07.412Z")!

    /// The candles of a random walk with a seed, oldest first.
    private static func candles(
        _ range: ChartRange, from price: Int, seed: UInt64, holes: Set<Int> = [], now: Timestamp = now
    ) -> CandlePrices {
        var random = SeededRandom(seed)
        var cents = price
        let last = range.candle.beginning(of: now)
        var candles = CandlePrices()
        for index in 0..<range.count {
            cents = max(1, cents + Int.random(in: -cents / 200 - 1...cents / 200 + 1, using: &random))
            if holes.contains(index) { continue }
            let back = (range.count - 1 - index) * range.candle.length.milliseconds
            let beginning = Timestamp(milliseconds: last.milliseconds - back)
            let end = min(beginning + range.candle.length, now)
            let tick = Tick(number: index, at: beginning, symbol: .bitcoin, candle: range.candle)
            let price = Price("\(cents / 100).\(cents % 100 / 10)\(cents % 10)")!
            let quote = Quote(price: price, currency: Currency("USD")!, timestamp: end)
            candles.record(Reading(answering: tick, quote, from: "binance"))
        }
        return candles
    }

    private func frame(
        _ chart: Chart, _ columns: Int, _ rows: Int, glyphs: Glyphs = .unicode, locale: String = "en_US",
        mark: String = "", usesColor: Bool = false
    ) -> [String] {
        let view = ChartView(
            wording: .inUTC(locale: locale), glyphs: glyphs,
            times: ChartTimes(ICULocale(identifier: locale), offset: { _ in 0 }), columns: columns, rows: rows
        )
        return view.lines(chart, mark: Styled(mark)).map { $0.text(Palette(usesColor: usesColor)) }
    }

    // MARK: Reading a frame

    /// A frame as a viewer reads it: the dots by position, and the prices of the labels by row.
    private struct Seen {
        var dots: [(x: Int, y: Int)] = []
        var labels: [(row: Int, price: Double)] = []
        var width = 0

        init(_ lines: [String]) {
            let (rows, axis) = (lines.dropLast(2), lines[lines.count - 2])
            width = axis.count - axis.distance(from: axis.startIndex, to: axis.firstIndex(of: "└")!) - 1
            for (index, line) in rows.enumerated() {
                let row = rows.count - 1 - index
                let axis = line.firstIndex { "│┤".contains($0) }!
                let label = line[..<axis].filter { $0.isNumber || $0 == "." }
                if !label.isEmpty { labels.append((row, Double(label)!)) }
                let plot = line[line.index(after: axis)...]
                for (column, sign) in plot.enumerated() where sign != " " {
                    let bits = Int(sign.unicodeScalars.first!.value) - 0x2800
                    for (bit, (x, y)) in Self.places.enumerated() where bits >> bit & 1 == 1 {
                        dots.append((2 * column + x, 4 * row + 3 - y))
                    }
                }
            }
        }

        private static let places = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3)]

        /// The price in the middle of a dot, and the difference from dot to dot.
        func scale() -> (price: (Int) -> Double, step: Double) {
            let (low, high) = (labels.min { $0.row < $1.row }!, labels.max { $0.row < $1.row }!)
            let step = (high.price - low.price) / Double(4 * (high.row - low.row))
            return ({ low.price + (Double($0) - Double(4 * low.row) - 1.5) * step }, step)
        }
    }

    @Test(arguments: ChartRange.allCases)
    func `each dot is within half a dot of the price at its time, and holes have no dots`(range: ChartRange) {
        for seed in 0..<40 {
            // Given
            var random = SeededRandom(UInt64(seed))
            let price = [3, 250, 6_890_123, 99_999_999_99].randomElement(using: &random)!
            let holes = Set((0..<range.count).filter { _ in Int.random(in: 0..<8, using: &random) == 0 })
            let (columns, rows) = (
                Int.random(in: 40...200, using: &random), Int.random(in: 10...60, using: &random)
            )
            let candles = Self.candles(range, from: price, seed: UInt64(seed), holes: holes)
            let chart = Chart(range, candles, live: nil, at: Self.now)
            // When
            let seen = Seen(frame(chart, columns, rows))
            // Then
            let (count, length) = (2 * seen.width, chart.end.milliseconds - chart.start.milliseconds)
            let (priceOfDot, step) = seen.scale()
            var missing = Set(0..<count)
            for (x, y) in seen.dots {
                let time = Timestamp(milliseconds: chart.start.milliseconds + x * length / (count - 1))
                let close = candles[range.candle, range.candle.beginning(of: time)].flatMap {
                    Double($0.price.text)
                }
                #expect(
                    close.map { abs($0 - priceOfDot(y)) <= step * 0.5001 } == true,
                    "seed \(seed), dot \(x), \(y)")
                missing.remove(x)
            }
            #expect(seen.dots.count == count - missing.count, "one dot per column")
            for x in missing {
                let time = Timestamp(milliseconds: chart.start.milliseconds + x * length / (count - 1))
                #expect(
                    candles[range.candle, range.candle.beginning(of: time)] == nil,
                    "seed \(seed), column \(x)")
            }
        }
    }

    @Test func `each time label is below the dots of its time`() {
        let chart = Chart(.day, Self.candles(.day, from: 6_890_123, seed: 1), live: nil, at: Self.now)
        let lines = frame(chart, 80, 24)
        let (axis, labels) = (Array(lines[22]), lines[23])
        let width = axis.count - axis.firstIndex(of: "└")! - 1
        let length = chart.end.milliseconds - chart.start.milliseconds
        for label in labels.split(separator: " ") {
            let hour = Int(label.prefix(2))!
            let days = [20, 21].map { Timestamp("2026-11-\($0)T\(hour < 10 ? "0" : "")\(hour):00:00.000Z")! }
            let time = days.first { $0 >= chart.start }!
            let dot =
                ((time.milliseconds - chart.start.milliseconds) * (2 * width - 1) * 2 + length) / (2 * length)
            let column = axis.firstIndex(of: "└")! + 1 + dot / 2
            let start = labels.distance(from: labels.startIndex, to: label.startIndex)
            #expect(axis[column] == "┬" && abs(start + 2 - column) <= 1, "\(label)")
        }
    }

    @Test func `days begin at local midnight, even when the clocks change`() {
        let change = Timestamp("2026-10-25T01:00:00.000Z")!
        let chart = Chart(.week, CandlePrices(), live: nil, at: Timestamp("2026-10-28T12:00:00.000Z")!)
        let times = ChartAxis.times(chart, room: 20) { $0 < change ? 7200 : 3600 }
        #expect(
            times.map { String($0.text.prefix(13).suffix(5)) } == [
                "21T22", "22T22", "23T22", "24T22", "25T23", "26T23", "27T23",
            ])
    }

    @Test(arguments: [
        (12, ["13:05", "13:10", "13:15"]), (6, ["13:10", "13:20", "13:30"]),
        (3, ["13:20", "13:40", "14:00"]),
    ])
    func `an hour has round times, as many as there is room for`(room: Int, first: [String]) {
        let chart = Chart(.hour, CandlePrices(), live: nil, at: Self.now)
        let times = ChartAxis.times(chart, room: room) { _ in 0 }
        #expect(times.prefix(3).map { String($0.text.prefix(16).suffix(5)) } == first)
    }

    @Test func `a candle in another currency, or without its close yet, leaves a hole`() {
        let last = Candle.minute.beginning(of: Self.now)
        func reading(_ minutesAgo: Int, _ currency: String, secondsIn: Int) -> Reading {
            let at = Timestamp(milliseconds: last.milliseconds - minutesAgo * 60_000)
            let tick = Tick(number: 1, at: at, symbol: .bitcoin, candle: .minute)
            let quote = Quote(
                price: Price("5")!, currency: Currency(currency)!, timestamp: at + .seconds(secondsIn))
            return Reading(answering: tick, quote, from: "binance")
        }
        var candles = CandlePrices()
        candles.record(reading(0, "USD", secondsIn: 3))
        candles.record(reading(1, "EUR", secondsIn: 60))
        candles.record(reading(2, "USD", secondsIn: 30))
        candles.record(reading(3, "USD", secondsIn: 60))
        let chart = Chart(.hour, candles, live: nil, at: Self.now)
        #expect(chart.quotes.suffix(4).map { $0 != nil } == [true, false, false, true])
    }

    @Test func `the live price closes the open candle, unless the candle is newer`() {
        let candles = Self.candles(.hour, from: 6_890_123, seed: 1)
        func last(_ secondsAgo: Int) -> String? {
            let time = Self.now + .seconds(-secondsAgo)
            let live = Quote(price: Price("7")!, currency: Currency("USD")!, timestamp: time)
            return Chart(.hour, candles, live: live, at: Self.now).last?.price.text
        }
        #expect(last(0) == "7" && last(1) != "7")
    }

    @Test func `constant prices give a straight line with labels`() {
        var candles = CandlePrices()
        for index in 0..<60 {
            let at = Candle.minute.beginning(of: Self.now) + .seconds(-60 * index)
            let tick = Tick(number: 1, at: at, symbol: .bitcoin, candle: .minute)
            let end = min(at + .seconds(60), Self.now)
            let quote = Quote(price: Price("0.00001234")!, currency: Currency("USD")!, timestamp: end)
            candles.record(Reading(answering: tick, quote, from: "binance"))
        }
        let lines = frame(Chart(.hour, candles, live: nil, at: Self.now), 60, 10)
        #expect(lines.count { $0.contains { "\u{2801}"..."\u{28FF}" ~= $0 } } == 1)
        #expect(lines.count { $0.contains("$0.0000") } >= 2)
    }

    @Test func `what does not fit is left out: the live price, the labels, then everything`() {
        let chart = Chart(.day, Self.candles(.day, from: 6_890_123, seed: 1), live: nil, at: Self.now)
        let live = "● $68,901.23"
        #expect(frame(chart, 60, 10, mark: live).contains { $0.hasSuffix(live) })
        #expect(frame(chart, 60, 10, mark: "●").contains { $0.hasSuffix(" ●") })
        #expect(!frame(chart, 30, 10, mark: live).contains { $0.contains(live) })
        #expect(
            frame(chart, 30, 10).contains { $0.contains("$") }
                && !frame(chart, 20, 10).contains { $0.contains("$") })
        #expect(!frame(chart, 20, 10).contains { $0.contains { "│┤└".contains($0) } })
        for columns in 2...60 {
            #expect(
                frame(chart, columns, 10, mark: live).allSatisfy { $0.columns <= columns },
                "\(columns) columns")
        }
        #expect(frame(chart, 1, 10) == [] && frame(chart, 40, 2) == [])
        #expect(frame(Chart(.day, CandlePrices(), live: nil, at: Self.now), 40, 10) == [])
    }
}

/// Whole frames of a chart.
extension ChartTests {
    private static let day = Chart(
        .day, candles(.day, from: 6_890_123, seed: 1, holes: [20, 21, 22, 23, 60]), live: nil, at: now)

    private func isEqual(_ frame: [String], _ expected: String, _ place: SourceLocation = #_sourceLocation) {
        let lines = frame.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
        let wanted = expected.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.map { $0.replacing("\u{A0}", with: " ") } == wanted, sourceLocation: place)
    }

    @Test func `a chart of 40 by 10 characters has prices and times as the locale writes them`() {
        isEqual(
            frame(Self.day, 40, 10, mark: "● $68,901.23"),
            """
                    │
            $71,000 ┤
                    │   ⢀    ⢀⡀⡀⢄⡀ ⠐⠠⠉⠔ ● $68,901.23
            $70,000 ┤  ⡠    ⢀⠄⠈⢀  ⠠⠂⠁
                    │⠠⠊ ⠁⢀  ⠄    ⠈
            $69,000 ┤⠄    ⠉⠑      ⠁
                    │
            $68,000 ┤
                    └───────┬────────┬─
                          00:00   12:00
            """)
        isEqual(
            frame(Self.day, 40, 10, locale: "de_DE", mark: "● 68.901,23 $"),
            """
                     │
            71.000 $ ┤              ⡀
                     │       ⢀⠂ ⠐   ⠈⠔ ● 68.901,23 $
            70.000 $ ┤ ⡠⡀⠂   ⡀⠐⠊⠁ ⠔⠑
                     │⠠ ⠐ ⡀ ⠐    ⠁
            69.000 $ ┤⠄   ⠈⠉⠂    ⠈
                     │
            68.000 $ ┤
                     └──────┬───────┬─
                          00:00  12:00
            """)
        isEqual(
            frame(Self.day, 40, 10, locale: "fa_IR", mark: "●"),
            """
                    │
            ‎$۷۱٬۰۰۰ ┤                         ⢀⠄⣀⡀
                    │             ⠠⣀⠄⠄  ⣀   ⠐⡀⡀⠠ ⠐ ●
            ‎$۷۰٬۰۰۰ ┤  ⡀⡠⠄⠐      ⡠⠄ ⠈⠐⠊⠈ ⠂ ⠤⠂⠈
                    │ ⠔⠈ ⠐⠁   ⢀ ⠠        ⠈⠠
            ‎$۶۹٬۰۰۰ ┤⠔      ⠠⢂⠁⠑⠂         ⠁
                    │
            ‎$۶۸٬۰۰۰ ┤
                    └────┬──────┬───────┬──────┬──
                       ۱۸:۰۰  ۰:۰۰    ۶:۰۰   ۱۲:۰۰
            """)
    }

    @Test func `without UTF-8 a chart is ASCII`() {
        isEqual(
            frame(Self.day, 40, 10, glyphs: .ascii, mark: "* $68,901.23"),
            """
                    |
            $71,000 +
                    |         *    **** * $68,901.23
            $70,000 +  *     * ** *
                    | * *   *    *
            $69,000 +*    **
                    |
            $68,000 +
                    +-------+--------+-
                          00:00   12:00
            """)
    }

    @Test func `a chart of 80 by 24 characters has more labels`() {
        isEqual(
            frame(Self.day, 80, 24, mark: "● $68,901.23"),
            """
                    │
                    │
            $71,000 ┤                                                    ⠤
                    │                                                      ⠠  ⠄
                    │                                                   ⠈ ⡀ ⠒⠈
                    │                              ⠄                       ⠂  ⢀ ● $68,901.23
            $70,500 ┤                              ⢀     ⡀  ⠂       ⠐   ⠄ ⠠  ⠄
                    │           ⢀⡀              ⠐    ⠐    ⢀⡠⠠        ⢀ ⠠
                    │                            ⠂⠉ ⡀ ⠁             ⠁⠄
                    │                           ⠁   ⢀⡀ ⠄⠈ ⠂           ⠒⡀
            $70,000 ┤           ⠁             ⠄  ⠈    ⠐      ⠂    ⢄⠉
                    │    ⢀⠐⢂⠢⢂⡀⠈             ⢀ ⠒       ⠠⠄        ⠈
                    │    ⠁     ⡀              ⠈              ⢀⡠ ⠈⠁
                    │     ⠁   ⠠              ⡀
            $69,500 ┤ ⢀ ⠈                   ⣀                  ⠄⡀
                    │  ⠢⠄
                    │              ⠈⠁  ⠠⠡⣀ ⠠                   ⠠
                    │ ⠄              ⠐ ⠁   ⡀
            $69,000 ┤⣀              ⠠⠂    ⠊
                    │                 ⣀
                    │
                    │
                    └──┬──────┬──────┬──────┬───────┬──────┬──────┬──────┬─────
                     15:00  18:00  21:00  00:00   03:00  06:00  09:00  12:00
            """)
    }

    /// The frame has its own file, since its lines exceed the limit for code.
    @Test func `a chart of 200 by 60 characters labels every tenth row and every hour`()
        throws
    {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "chart-200x60.txt")
        let wanted = try String(contentsOf: file, encoding: .utf8)
        isEqual(frame(Self.day, 200, 60, mark: "● $68,901.23"), String(wanted.dropLast()))
    }

    @Test(arguments: [("60000", "31"), ("80000", "32")])
    func `a chart is green if its last price is above the first, and red if it is below`(
        last: String, color: String
    ) {
        let live = Quote(price: Price(last)!, currency: Currency("USD")!, timestamp: Self.now)
        let candles = Self.candles(.day, from: 7_000_000, seed: 1)
        let chart = Chart(.day, candles, live: live, at: Self.now)
        let colors = frame(chart, 40, 10, usesColor: true).joined().matches(of: /\u{1B}\[(\d\d)m/).map(\.1)
        #expect(!colors.isEmpty && colors.allSatisfy { $0 == color })
    }

    @Test func `a single price has no color`() {
        let live = Quote(price: Price("60000")!, currency: Currency("USD")!, timestamp: Self.now)
        let lines = frame(Chart(.day, CandlePrices(), live: live, at: Self.now), 40, 10, usesColor: true)
        #expect(lines.count == 10 && !lines.joined().contains("\u{1B}"))
    }
}
