import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The price of one symbol and the lines below it, in any number of columns and rows.
@Suite(.unit) struct SymbolViewTests {
    private struct Page {
        var board = Board()
        var wording = Wording.inUTC(timeFormat: "MMM d, HH:mm:ss")
        var palette = Palette(usesColor: false)
        var glyphs = Glyphs.ascii
        var now = anyTime()

        func text(_ columns: Int, _ rows: Int) -> String {
            let view = SymbolView(
                wording: wording, glyphs: glyphs, board: board, row: board.rows[0], moment: Moment(now),
                columns: columns)
            return view.lines(rows).map { $0.text(palette) }.joined(separator: "\n")
        }

        /// Records a reading: `"1.00"` is a new price, `"1.00@coinbase"` is a price from a fallback, and `"1.00!"` is
        /// the last known price, 41 seconds old. `"-"` is a failed tick without a price, and `"close=1.00"` is
        /// yesterday's closing price.
        mutating func record(_ text: Substring) throws {
            let form = /(close=)?([\d.]*)(!?)-?@?(\w*)/
            let (_, close, price, stale, fallback) = try #require(text.wholeMatch(of: form)).output
            let tick = close == nil ? anyTick() : dayTick(day: -1)
            var reading = Reading(answering: tick, [anyFailure()])
            if close != nil || stale.isEmpty && fallback.isEmpty && !price.isEmpty { reading.failures = [] }
            let time = close == nil ? anyTime(stale.isEmpty ? 0 : -41_000) : tick.at! + .seconds(86_400)
            if !price.isEmpty { reading.quote = anyQuote(String(price), at: time) }
            reading.source = fallback.isEmpty ? "binance" : String(fallback)
            if !stale.isEmpty { reading.error = true }
            board.record(reading, at: anyTime())
        }
    }

    private func makeSUT(_ readings: String) throws -> Page {
        var sut = Page()
        for reading in readings.split(separator: " ") { try sut.record(reading) }
        return sut
    }

    @Test(arguments: try! examples(inFile: "Frames/symbol-rules"))
    func `the price, its change, its time and its age are shown if there is room for them`(
        rule: String, steps: String, lines: [String]
    ) throws {
        var sut = Page()
        for step in steps.split(separator: " ") {
            if step.first == "+" {
                sut.now = anyTime(Int(step.dropFirst())!)
            } else if let size = step.wholeMatch(of: /(\d+)x(\d+)/) {
                #expect(sut.text(Int(size.1)!, Int(size.2)!) == lines.joined(separator: "\n"), "\(rule)")
            } else {
                try sut.record(step)
            }
        }
    }

    @Test func `an arrow and its color stay until the next change, and the first price has neither`() throws {
        var sut = try makeSUT("100.00")
        (sut.palette, sut.glyphs) = (Palette(usesColor: true), .unicode)
        #expect(sut.text(30, 2) == "BTC-USD \u{1B}[1m$100.00\u{1B}[0m\nNov 21, 14:03:07")
        let (rise, fall) = ("\u{1B}[32m▲ +2.50\u{1B}[0m", "\u{1B}[31m▼ -2.25\u{1B}[0m")
        for (price, change) in [("102.50", rise), ("100.25", fall), ("100.25", fall)] {
            try sut.record(price[...])
            #expect(sut.text(30, 2).hasSuffix("\n\(change)  Nov 21, 14:03:07"))
        }
    }

    @Test
    func `large digits in the smallest size are surrounded by empty lines only if there are at least 9 rows`()
        throws
    {
        let sut = try makeSUT("1.00")
        #expect(sut.text(20, 9).filter { $0 == "\n" }.count == 8 && sut.text(20, 9).contains("#"))
        #expect(sut.text(20, 8).filter { $0 == "\n" }.count == 6 && sut.text(20, 8).contains("#"))
    }

    @Test(arguments: [
        (21, "BTC-USD $1,234,567.89"), (20, "$1,234,567.89"), (12, "BTC-USD ..."), (10, "..."), (3, "..."),
    ])
    func `a price that does not fit is not cut but replaced by three dots`(columns: Int, line: String) throws
    {
        let sut = try makeSUT("1234567.89")
        for rows in [1, 3] { #expect(sut.text(columns, rows).split(separator: "\n").first == line[...]) }
        #expect(sut.text(columns, 20).contains("\n$1,234,567.89\n") == (columns > 12))
    }

    @Test func `a wide character counts as two columns`() throws {
        var sut = try makeSUT("1.00")
        sut.wording = .inUTC(timeFormat: "MMM d, HH:mm:ss", locale: "ja_JP")
        #expect(sut.text(17, 2) == "BTC-USD $1.00\n11月 21, 14:03:07")
        #expect(sut.text(16, 2).hasSuffix("\n..."))
    }
}
