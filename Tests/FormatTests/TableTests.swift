import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The table: its lines, and how they are laid out.
@Suite(.unit) struct TableTests {
    private var table = Table()
    private var view = Self.makeView()
    private var shown: [String] = []
    /// The simulated current time, in milliseconds after `anyTime()`.
    private var age = 0
    private let instant = Deadline.Instant.now

    private static func makeView(
        locale: String = "en_US", usesColor: Bool = false, columns: Int? = nil
    ) -> TableView {
        let icu = ICULocale(identifier: locale)
        let days = LocalTimeFormatter(format: TimeFormat.day(in: icu), locale: icu, offset: { _ in 0 })
        return TableView(
            .inUTC(locale: locale), Palette(usesColor: usesColor), days: days, columns: { columns })
    }

    /// Plays steps, such as readings in a compact form. `"d-1=2.00"` is yesterday's closing price, and
    /// `"d0=3.00"` is today's price so far. `"h-1=2.00"` is the close of yesterday's first hour, and
    /// `"b1=2.00"` is the answer to the tick of second 1. If the price is missing, the tick has failed. A
    /// leading `E` means ETH-USD, a leading `X` means XRP-USD, `!` marks a stale price, `?` marks a disputed
    /// price, and `@` precedes a source other than Kraken. `"+60"` waits 60 ms, `";"` is the end of a burst of
    /// candles, and `"."` is the end of the input.
    ///
    /// - Returns: all lines that have been shown since the first step.
    @discardableResult private mutating func play(_ steps: String) throws -> [String] {
        for step in steps.split(separator: " ") {
            switch step.first {
            case "+": age += Int(step.dropFirst())!
            case ";": add(table.due(at: nil))
            case ".":
                add(table.due(at: nil))
                shown.append(view.footer(table, at: anyTime(age)))
            default: add(table.record(try reading(step), at: instant))
            }
        }
        return shown
    }

    private mutating func add(_ lines: [TableLine]) {
        shown += view.text(lines, table.symbols, at: anyTime(age)).map(\.1)
    }

    private func reading(_ text: Substring) throws -> Reading {
        let match = try #require(text.wholeMatch(of: /([EX]?)([dhb])(-?\d+)=?([\d.]*)([!?]?)@?(\w*)/))
        let (_, letter, kind, place, price, mark, source) = match.output
        var tick = dayTick(symbol: ["E": "ETH-USD", "X": "XRP-USD"][letter], day: Int(place)!)
        if kind == "h" { tick.candle = .hour }
        if kind == "b" {
            (tick.number, tick.at, tick.candle) = (Int(place)!, anyTime(Int(place)! * 1000), nil)
        }
        guard !price.isEmpty else { return Reading(answering: tick, [anyFailure()]) }
        let end = tick.at! + (tick.candle?.length ?? .milliseconds(1))
        let quote = anyQuote(String(price), at: min(end, anyTime()))
        var reading = Reading(answering: tick, quote, from: source.isEmpty ? "kraken" : String(source))
        (reading.error, reading.isMadeUp, reading.isClosed) = (
            mark == "!", source == "echo", end <= anyTime()
        )
        if mark == "?" { reading.ownDispute = true }
        return reading
    }

    // MARK: Lines

    @Test mutating func `a line shows a day's prices and changes, and today's line ends in "open"`() throws {
        try play("d-3=67700.00 d-2=67800.00 d-1=67900.00 d0=68000.00")
        try play("Ed-3=3021.50 Ed-2=3014.50 Ed-1=3007.50 Ed0=3000.50 .")
        try expect(shown.joined(separator: "\n"), inFile: "Frames/table")
    }

    @Test(arguments: try! examples(inFile: "Frames/table-rules"))
    mutating func `candles and beats are printed as lines that include the price changes`(
        rule: String, steps: String, lines: [String]
    ) throws {
        try play(steps)
        #expect(Array(shown.dropFirst()) == lines, "\(rule)")
    }

    @Test(arguments: [
        ("d-1=1.00 d0=2.00 +3599999 .", "Data from Nov 21, 14:03"),
        ("d-1=1.00 d0=2.00 +3600000 .", "Out of date: from Nov 21, 14:03, 1 h ago"),
        ("d-1=1.00 d0=2.00! +7200000 .", "Out of date: from Nov 21, 14:03, 2 h ago"),
        ("d-2=1.00! d-1=2.00! d0=3.00 .", "Data from Nov 21, 14:03"),
        ("d-2=1.00 d-1=2.00 d0 .", "Out of date: from Nov 21, 00:00, 14 h ago"),
        ("b0 Eb0 b1 Eb1 b0=9.00 .", "Out of date: from Nov 21, 14:03, 0 s ago"),
        ("b0=1.00 Eb0=2.00 b1=1.10 b60=1.20 +60000 .", "Out of date: ETH-USD from Nov 21, 14:03, 1 min ago"),
        ("b-9=1.00 Eb-9=2.00 b0=1.10 Eb0=2.20 b-8=1.05 .", "Data from Nov 21, 14:03"),
        ("b0=1.00 Eb0 .", "No data for ETH-USD; other data from Nov 21, 14:03"),
        ("b0=1.00 Eb0 Xb0 .", "No data for 2 of 3 symbols; other data from Nov 21, 14:03"),
    ])
    mutating func `the last line shows the data's time and any symbols that are out of date or lack prices`(
        steps: String, line: String
    ) throws {
        #expect(try play(steps).last == line)
    }

    @Test mutating func `the price of a day that just ended is not stale unless it carries the error flag`()
        throws
    {
        let midnight = Candle.day.beginning(of: anyTime())
        age = midnight.milliseconds - anyTime().milliseconds + 6000
        var (yesterday, today) = (try reading("d-1=2.00"), try reading("d0=3.00"))
        yesterday.isClosed = false
        today.quote = anyQuote("3.00", at: midnight + .seconds(5))
        for reading in [try reading("d-2=1.00"), yesterday, today] {
            add(table.record(reading, at: instant))
        }
        try play(";")
        #expect(shown[1].hasSuffix("$2.00  +100.00%") && shown[2].hasSuffix("$3.00   +50.00% open"))
        // When
        yesterday.error = true
        add(table.record(yesterday, at: instant))
        #expect(try play(";").last?.hasSuffix("stale") == true)
    }

    @Test mutating func `lines of candles are held back longer than lines of current prices`() throws {
        try play("b0=1.00")
        #expect(table.deadline == Deadline(in: .seconds(1), from: instant))
        try play("Eb0=2.00 b1=1.00 Eb1=2.00")
        #expect(table.deadline == nil)
        try play("d-1=1.00 d0=2.00")
        #expect(table.deadline == Deadline(in: .seconds(10), from: instant))
    }

    // MARK: Layout

    @Test mutating func `made-up prices are labeled in the header`() throws {
        #expect(try play("b1=1.00@echo b2=2.00")[0] == "made up           BTC-USD")
    }

    @Test(arguments: [59, 58, 54, 53, 33, 24, 23])
    mutating func `no price is cut at the edge of the terminal`(columns: Int) throws {
        view = Self.makeView(columns: columns)
        try play("d-2=67800.00 d-1=67900.00 d0=68000.00 Ed-2=2997.00 Ed-1=3000.00 Ed0=3003.00! ;")
        try expect(shown.joined(separator: "\n"), inFile: "Frames/table-\(columns)-columns")
    }

    @Test mutating func `no line is wider than the terminal, even if a source's name is long`() throws {
        view = Self.makeView(columns: 24)
        let lines = try play("b1=1.00@a b2=1.00@thirteen_char b3=2.00@thirteen_char b4=1.00@thirteen_char ;")
        #expect(lines.joined(separator: "\n").split(separator: "\n").allSatisfy { $0.count <= 24 })
    }

    @Test mutating func `as many symbols as fit are shown side by side`() throws {
        view = Self.makeView(columns: 59)
        try play("d-2=1.00 d-1=1.00 d0=2.00 Ed-2=1.00 Ed-1=1.00 Ed0=3.00 Xd-2=1.00 Xd-1=1.00 Xd0=4.00 ;")
        try expect(shown.joined(separator: "\n"), inFile: "Frames/table-of-three-symbols")
    }

    @Test mutating func `dates, prices and changes are written in the chosen locale's format`() throws {
        view = Self.makeView(locale: "de_DE")
        try play("d-2=68000.00 d-1=67000.00 d0=68901.23 ;")
        #expect(shown[1] == "20. Nov. 2026  67.000,00\u{A0}$  -1,47\u{A0}%")
        #expect(shown[2].hasSuffix("+2,84\u{A0}% open"))
    }

    @Test mutating func `rises are green, falls are red, and the message "Out of date" is red`() throws {
        view = Self.makeView(usesColor: true)
        try play("d-3=2.00 d-2=2.0002 d-1=2.00 d0 .")
        #expect(shown[1].hasSuffix("\u{1B}[32m+0.01%\u{1B}[0m"))
        #expect(shown[2].hasSuffix("\u{1B}[31m-0.01%\u{1B}[0m"))
        #expect(shown.last?.hasPrefix("\u{1B}[31mOut of date: ") == true)
    }
}
