import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// Prices over a range of time, drawn as candlesticks or as a line.
@Suite(.unit) struct ChartTests {
    private static let now = Timestamp("2026-11-21T14:03:07.412Z")!

    /// The candles of a seeded random walk that starts at `price`, which is in cents. The candles at the indices in
    /// `holes` are missing. If `hasRanges` is true, each candle also contains its open, high and low.
    private static func candles(
        _ range: ChartRange, from price: Int, seed: UInt64, holes: Set<Int> = [], hasRanges: Bool = false
    ) -> CandlePrices {
        var random = SeededRandom(seed)
        var cents = price
        let last = range.candle.beginning(of: now)
        var candles = CandlePrices()
        for index in 0..<range.count {
            let steps = (0..<4).map { _ in
                cents = max(1, cents + Int.random(in: -cents / 300 - 1...cents / 300 + 1, using: &random))
                return Self.price(cents)
            }
            if holes.contains(index) { continue }
            let back = (range.count - 1 - index) * range.candle.length.milliseconds
            let beginning = Timestamp(milliseconds: last.milliseconds - back)
            let end = min(beginning + range.candle.length, now)
            let tick = Tick(number: index, at: beginning, symbol: .bitcoin, candle: range.candle)
            let sorted = steps.sorted { $0.units < $1.units }
            let range = CandleRange(open: steps[0], high: sorted[3], low: sorted[0])
            let quote = Quote(
                price: steps[3], currency: .usDollar, timestamp: end, range: hasRanges ? range : nil)
            candles.record(Reading(answering: tick, quote, from: "binance"))
        }
        return candles
    }

    private static func price(_ cents: Int) -> Price { Price(units: Int128(cents) * 10_000_000_000)! }

    /// A chart of random candles, none of which is missing.
    private static func chart(_ range: ChartRange, live: Quote? = nil) -> Chart {
        Chart(range, candles(range, from: 6_890_123, seed: 1), live: live, at: now)
    }

    private func frame(
        _ chart: Chart, _ columns: Int, _ rows: Int, glyphs: Glyphs = .unicode, locale: String = "en_US",
        mark: String = "", usesColor: Bool = false, isLine: Bool = false
    ) -> [String] {
        let view = ChartView(
            wording: .inUTC(locale: locale), glyphs: glyphs,
            times: ChartTimes(ICULocale(identifier: locale), offset: { _ in 0 }), columns: columns,
            rows: rows, isLine: isLine)
        return view.lines(chart, mark: Styled(mark)).map { $0.text(Palette(usesColor: usesColor)) }
    }

    // MARK: Reading a frame

    /// A frame as a viewer reads it: for each column of the plot, the signs drawn in that column. Each sign
    /// is stored under its level, counted from the bottom.
    private struct Seen {
        var columns: [[Int: Character]] = []

        /// - Parameters:
        ///   - across: the number of columns into which `parts` splits a character.
        ///   - parts: splits a character into columns and lists each column from the bottom up.
        init(_ lines: [String], across: Int, _ parts: (Character) -> [[Character]]) {
            let (rows, axis) = (lines.dropLast(2), lines[lines.count - 2])
            let width =
                axis.count - axis.distance(from: axis.startIndex, to: axis.firstIndex { "└+".contains($0) }!)
                - 1
            columns = Array(repeating: [:], count: width * across)
            for (index, line) in rows.enumerated() {
                let row = rows.count - 1 - index
                let plot = line[line.index(after: line.firstIndex { "│┤|+".contains($0) }!)...]
                for (column, sign) in plot.enumerated() where sign != " " {
                    for (x, signs) in parts(sign).enumerated() {
                        for (y, sign) in signs.enumerated() where sign != " " {
                            columns[column * across + x][row * signs.count + y] = sign
                        }
                    }
                }
            }
        }

        static func dots(_ sign: Character) -> [[Character]] {
            let bits = Int(sign.unicodeScalars.first!.value) - 0x2800
            return [[6, 2, 1, 0], [7, 5, 4, 3]].map { $0.map { bits >> $0 & 1 == 1 ? "*" : " " } }
        }

        /// Splits a character into its lower and its upper half. In each half, `-` means the thin line of a
        /// candle, `B` the body of a falling candle, and `O` the body of a rising candle.
        static func candle(_ sign: Character) -> [[Character]] {
            let known: [Character: String] = [
                "╵": " -", "╷": "- ", "│": "--", "╿": "-O", "╽": "O-", "╹": " O", "╻": "O ", "┃": "OO",
                "▀": " B", "▄": "B ", "█": "BB", "╀": "-B", "╁": "B-",
            ]
            return [Array(known[sign]!)]
        }
    }

    /// The level of a price on a scale of `count` levels from the lowest to the highest price. Level 0 is the
    /// lowest level.
    private func level(_ price: Int128, _ low: Int128, _ high: Int128, of count: Int) -> Int {
        low == high ? (count - 1) / 2 : Int(((price - low) * Int128(2 * count - 2) / (high - low) + 1) / 2)
    }

    /// The parameters of a random chart: its first price in cents, its size, and the indices of its missing candles.
    private struct Random {
        let (price, columns, rows): (Int, Int, Int)
        let holes: Set<Int>

        init(_ seed: Int, _ range: ChartRange) {
            var random = SeededRandom(UInt64(seed))
            price = [3, 250, 6_890_123, 99_999_999_99].randomElement(using: &random)!
            columns = .random(in: 40...200, using: &random)
            rows = .random(in: 10...60, using: &random)
            holes = Set((0..<range.count).filter { _ in Int.random(in: 0..<8, using: &random) == 0 })
        }
    }

    @Test(arguments: ChartRange.allCases)
    func `a line connects the closes of neighboring candles, and nothing else is drawn`(range: ChartRange) {
        for seed in 0..<FullSize.count(short: 3, full: 40) {
            // Given
            let given = Random(seed, range)
            let candles = Self.candles(range, from: given.price, seed: UInt64(seed), holes: given.holes)
            let chart = Chart(range, candles, live: nil, at: Self.now)
            // When
            let seen = Seen(frame(chart, given.columns, given.rows), across: 2, Seen.dots)
            // Then
            let (low, high) = chart.extremes!
            let levels = chart.candles.map { $0.map { level($0.close, low, high, of: 4 * (given.rows - 2)) } }
            var expected: [[Int]] = seen.columns.map { _ in [] }
            for (index, level) in levels.enumerated() {
                guard let level else { continue }
                let first = index * expected.count / levels.count
                for x in first...max(first, (index + 1) * expected.count / levels.count - 1) {
                    expected[x].append(level)
                }
                if index > 0, let before = levels[index - 1] { expected[first].append(before) }
            }
            for (x, levels) in expected.enumerated() {
                let wanted = levels.isEmpty ? [] : Array(levels.min()!...levels.max()!)
                #expect(seen.columns[x].keys.sorted() == wanted, "seed \(seed), column \(x)")
            }
        }
    }

    @Test(arguments: ChartRange.allCases)
    func `every candle is drawn at its open, high, low and close, and nothing else is drawn`(
        range: ChartRange
    ) {
        for seed in 0..<FullSize.count(short: 3, full: 40) {
            // Given
            let given = Random(seed, range)
            let candles = Self.candles(
                range, from: given.price, seed: UInt64(seed), holes: given.holes, hasRanges: true)
            let chart = Chart(range, candles, live: nil, at: Self.now)
            // When
            let seen = Seen(frame(chart, given.columns, given.rows), across: 1, Seen.candle)
            // Then
            let (count, width) = (range.count, seen.columns.count)
            let low = chart.candles.compactMap { $0?.low }.min()!
            let high = chart.candles.compactMap { $0?.high }.max()!
            func level(_ price: Int128) -> Int { self.level(price, low, high, of: 2 * (given.rows - 2)) }
            var drawn: Set<Int> = []
            for group in Dictionary(grouping: chart.candles.indices, by: { $0 * width / count }).values {
                let known = group.sorted().compactMap { chart.candles[$0] }
                guard let first = known.first, let last = known.last else { continue }
                let begin = group.min()! * width / count
                // The width of a body: the largest odd number less than the narrowest candle's width in columns, but
                // at least 1.
                let columns = max(1, (width / count - 2) | 1)
                let body = begin..<begin + columns
                let middle = begin + columns / 2
                drawn.formUnion(body)
                let (open, close) = (level(first.open), level(last.close))
                let (bottom, top) = (level(known.map(\.low).min()!), level(known.map(\.high).max()!))
                let sign: Character = last.close >= first.open ? "O" : "B"
                for column in body {
                    let levels = seen.columns[column]
                    let thick = levels.filter { $0.value != "-" }
                    #expect(
                        thick.keys.sorted() == Array(min(open, close)...max(open, close)),
                        "seed \(seed), column \(column)")
                    #expect(thick.values.allSatisfy { $0 == sign }, "seed \(seed), column \(column)")
                    if column == middle {
                        #expect(levels.keys.sorted() == Array(bottom...top), "seed \(seed), column \(column)")
                    } else {
                        #expect(levels.count == thick.count, "seed \(seed), column \(column)")
                    }
                }
            }
            for column in 0..<width where !drawn.contains(column) {
                #expect(seen.columns[column].isEmpty, "seed \(seed), column \(column)")
            }
        }
    }

    @Test(arguments: [8, 12, 20, 40, 60])
    func `a chart uses its full height and labels at least three prices, each in its row`(rows: Int) {
        for seed in 0..<200 {
            var random = SeededRandom(UInt64(seed))
            let low = Int128.random(
                in: 1...Int128(10) << Int128.random(in: 1...70, using: &random), using: &random)
            let high = low + Int128.random(in: 1000...max(1001, low), using: &random)
            let scale = ChartScale(from: low, to: high, rows: rows)
            #expect(
                scale.level(of: low, of: rows * 4) == 0 && scale.level(of: high, of: rows * 4) == rows * 4 - 1
            )
            let labels = scale.labels(levels: 4).prices
            #expect(labels.count >= 3, "seed \(seed): \(low) to \(high)")
            for (row, price) in labels {
                #expect(
                    scale.level(of: price.units, of: rows * 4) / 4 == row && price.units >= low
                        && price.units <= high)
            }
        }
    }

    @Test(arguments: [("791.11", 2), ("60000", 0), ("0.00001234", 8), ("65000.5", 1), ("0.000000000001", 12)])
    func `if all prices are equal, the only label is the price with all its decimals`(
        text: String, decimals: Int
    ) {
        let price = Price(text)!
        for rows in [1, 4, 8, 40] {
            let labels = ChartScale(from: price.units, to: price.units, rows: rows).labels(levels: 2)
            #expect(labels.prices.map(\.value.units) == [price.units] && labels.decimals == decimals)
        }
    }

    @Test func `a label shows all decimals, even for a price with the largest number of digits`() {
        let money = MoneyFormatter(locale: ICULocale(identifier: "en_US"))
        let price = Price("999999999999.000000000001")!
        #expect(money.text(price, .usDollar, decimals: 12) == "$999,999,999,999.000000000001")
    }

    @Test func `each label of the time axis is below the mark for its time`() {
        let chart = Self.chart(.day)
        let lines = frame(chart, 80, 24)
        let (axis, labels) = (Array(lines[22]), lines[23])
        let width = axis.count - axis.firstIndex(of: "└")! - 1
        for label in labels.split(separator: " ") {
            let hour = Int(label.prefix(2))!
            let days = [20, 21].map { Timestamp("2026-11-\($0)T\(hour < 10 ? "0" : "")\(hour):00:00.000Z")! }
            let time = days.first { $0 >= chart.start }!
            let candle =
                (time.milliseconds - chart.start.milliseconds) / Candle.quarterHour.length.milliseconds
            let column = axis.firstIndex(of: "└")! + 1 + candle * width / 96
            let start = labels.distance(from: labels.startIndex, to: label.startIndex)
            #expect(axis[column] == "┬" && abs(start + 2 - column) <= 1, "\(label)")
        }
    }

    @Test func `days begin at local midnight, even when the clocks change`() {
        let change = Timestamp("2026-10-25T01:00:00.000Z")!
        let chart = Chart(.week, CandlePrices(), live: nil, at: Timestamp("2026-10-27T23:30:00.000Z")!)
        let times = ChartAxis.times(chart, room: 20) { $0 < change ? 7200 : 3600 }
            .map { String($0.text.prefix(13).suffix(5)) }
        #expect(times == ["21T22", "22T22", "23T22", "24T22", "25T23", "26T23", "27T23"])
    }

    @Test(arguments: [
        (12, ["13:05", "13:10", "13:15"]), (6, ["13:10", "13:20", "13:30"]),
        (3, ["13:20", "13:40", "14:00"]),
    ])
    func `the time axis of a one-hour chart shows as many round times as fit`(room: Int, first: [String]) {
        let chart = Chart(.hour, CandlePrices(), live: nil, at: Self.now)
        let times = ChartAxis.times(chart, room: room) { _ in 0 }.map { String($0.text.prefix(16).suffix(5)) }
        #expect(times.prefix(3) == first[...])
    }

    @Test func `a candle in another currency and a past candle without its close both leave a hole`() {
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
        #expect(chart.candles.suffix(4).map { $0 != nil } == [true, false, false, true])
    }

    @Test func `the live price is used as the close of the open candle unless the candle's price is newer`() {
        let prices = [-2, 0, 1].map { secondsAgo in
            Self.chart(.hour, live: anyQuote("7", at: Self.now + .seconds(-secondsAgo))).last?.price.text
        }
        // A live price may be newer than `now`, because the clock of its source may be ahead.
        #expect(prices[0] == "7" && prices[1] == "7" && prices[2] != "7")
    }

    @Test func `prices are joined into candles with the right open, close, high and low`() {
        for seed in 0..<50 {
            var random = SeededRandom(UInt64(seed))
            var candles = CandlePrices()
            var expected: [Timestamp: [Price]] = [:]
            var time = Self.now
            for _ in 0..<Int.random(in: 1...300, using: &random) {
                time = time + .milliseconds(.random(in: 1...40_000, using: &random))
                let price = Self.price(.random(in: 1...999_999, using: &random))
                candles.join(
                    Reading(answering: Tick(number: 1), anyQuote(price.text, at: time), from: "a"),
                    into: .minute)
                candles.join(Reading(answering: Tick(number: 2), [anyFailure()]), into: .minute)
                expected[Candle.minute.beginning(of: time), default: []].append(price)
            }
            for (beginning, prices) in expected {
                let units = prices.map(\.units)
                let candle = (candles[.minute][beginning]?.quote).map { ChartCandle($0) }
                var wanted = ChartCandle(units[0])
                for price in units { wanted.join(ChartCandle(price)) }
                #expect(candle == wanted && candle?.high == units.max() && candle?.low == units.min())
                #expect(
                    candle?.open == units.first && candle?.close == units.last
                        && candles.hasEnded(.minute, beginning))
            }
        }
    }

    @Test func `a constant price is drawn as a horizontal line with one label`() {
        var candles = CandlePrices()
        for index in 0..<60 {
            let at = Candle.minute.beginning(of: Self.now) + .seconds(-60 * index)
            let tick = Tick(number: 1, at: at, symbol: .bitcoin, candle: .minute)
            let end = min(at + .seconds(60), Self.now)
            candles.record(Reading(answering: tick, anyQuote("0.00001234", at: end), from: "binance"))
        }
        let lines = frame(Chart(.hour, candles, live: nil, at: Self.now), 60, 10)
        #expect(lines.count { $0.contains { "\u{2801}"..."\u{28FF}" ~= $0 } } == 1)
        #expect(lines.count { $0.contains("$0.00001234") } == 1)
    }

    @Test func `without enough room, the live price is left out first, then the labels, then the chart`() {
        let chart = Self.chart(.day)
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

/// Whole frames of a chart, and their colors. Each frame is in its own file, because a frame's lines are too long for
/// code.
extension ChartTests {
    private static let day = Chart(
        .day, candles(.day, from: 6_890_123, seed: 1, holes: [20, 21, 22, 23, 60], hasRanges: true),
        live: nil, at: now)

    @Test(
        arguments: ["candles", "line"],
        ["40x12", "80x24", "120x40", "200x60", "80x24-ascii", "80x24-color", "80x24-de_DE", "80x24-fa_IR"])
    func `charts in several sizes and locales match the example files`(kind: String, form: String) throws {
        let parts = form.split { "x-".contains($0) }.map(String.init)
        let variant = parts.count > 2 ? parts[2] : ""
        let lines = frame(
            Self.day, Int(parts[0])!, Int(parts[1])!, glyphs: variant == "ascii" ? .ascii : .unicode,
            locale: variant.contains("_") ? variant : "en_US", mark: "@ 68901.23",
            usesColor: variant == "color", isLine: kind == "line")
        let shown = lines.map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
        try expect(shown.joined(separator: "\n"), inFile: "Charts/\(kind)-\(form)")
    }

    @Test(arguments: [("60000", "31"), ("80000", "32")])
    func `a line is green if it ends higher than it begins, and red if it ends lower`(
        last: String, color: String
    ) {
        let chart = Self.chart(.day, live: anyQuote(last, at: Self.now))
        let colors = frame(chart, 40, 10, usesColor: true, isLine: true).joined().matches(
            of: /\u{1B}\[(\d\d)m/
        ).map(\.1)
        #expect(!colors.isEmpty && colors.allSatisfy { $0 == color })
    }

    @Test func `a single price is drawn without color`() {
        let live = anyQuote("60000", at: Self.now)
        let lines = frame(Chart(.day, CandlePrices(), live: live, at: Self.now), 40, 10, usesColor: true)
        #expect(lines.count == 10 && !lines.joined().contains("\u{1B}"))
    }
}
