import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The price of one symbol and the lines below it, in any number of columns and rows.
@Suite(.unit) struct SymbolViewTests {
    private struct Page {
        var board = Board()
        let wording: Wording
        var palette = Palette(usesColor: false)
        var glyphs = Glyphs.ascii
        var now = anyTime()

        func text(_ columns: Int, _ rows: Int) -> String {
            let view = SymbolView(
                wording: wording, glyphs: glyphs, board: board, row: board.rows[0], moment: Moment(now),
                columns: columns)
            return view.lines(rows).map { $0.text(palette) }.joined(separator: "\n")
        }
    }

    private func makeSUT(_ readings: Reading..., locale: String = "en_US") -> Page {
        var sut = Page(wording: .inUTC(timeFormat: "MMM d, HH:mm:ss", locale: locale))
        for reading in readings { sut.board.record(reading, at: anyTime()) }
        return sut
    }

    private func fresh(_ price: String, after failures: [Failure] = []) -> Reading {
        let source = failures.isEmpty ? "binance" : "coinbase"
        return Reading(answering: anyTick(), anyQuote(price), from: source, after: failures)
    }

    /// The last known price, 41 seconds old.
    private func stale(_ price: String) -> Reading {
        var reading = Reading(
            answering: anyTick(), anyQuote(price, at: anyTime(-41_000)), from: "binance",
            after: [anyFailure()])
        reading.error = true
        return reading
    }

    @Test
    func `in few columns the price is plain text, and the time and the change are on lines of their own`() {
        let sut = makeSUT(fresh("68900.00"), fresh("68901.23"))
        #expect(sut.text(20, 3) == "BTC-USD $68,901.23\nNov 21, 14:03:07\n^ +1.23")
        #expect(sut.text(30, 3) == "BTC-USD $68,901.23\n^ +1.23  Nov 21, 14:03:07")
    }

    @Test func `rises and falls keep their sign and color, and the first price has neither`() {
        var sut = makeSUT(fresh("100.00"))
        (sut.palette, sut.glyphs) = (Palette(usesColor: true), .unicode)
        #expect(sut.text(30, 2) == "BTC-USD \u{1B}[1m$100.00\u{1B}[0m\nNov 21, 14:03:07")
        sut.board.record(fresh("102.50"), at: anyTime())
        #expect(sut.text(30, 2).hasSuffix("\n\u{1B}[32m▲ +2.50\u{1B}[0m  Nov 21, 14:03:07"))
        for _ in 0..<2 {
            sut.board.record(fresh("100.25"), at: anyTime())
            #expect(sut.text(30, 2).hasSuffix("\n\u{1B}[31m▼ -2.25\u{1B}[0m  Nov 21, 14:03:07"))
        }
    }

    @Test func `today's change is beside the last move if it fits`() {
        var sut = makeSUT(fresh("100.00"), fresh("101.84"))
        let begin = Timestamp("2026-11-20T00:00:00.000Z")!
        let close = anyQuote("100.00", at: begin + .seconds(86_400))
        sut.board.record(Reading(answering: Tick(at: begin, candle: .day), close, from: "binance"))
        let price = "BTC-USD $101.84"
        #expect(sut.text(60, 2) == "\(price)\n^ +1.84  +1.84% today  Nov 21, 14:03:07")
        #expect(sut.text(70, 1) == "\(price)  ^ +1.84  +1.84% today  Nov 21, 14:03:07")
        #expect(sut.text(30, 2) == "\(price)\n^ +1.84  Nov 21, 14:03:07")
        #expect(sut.text(30, 3) == "\(price)\nNov 21, 14:03:07\n^ +1.84  +1.84% today")
        #expect(sut.text(20, 3) == "\(price)\nNov 21, 14:03:07\n^ +1.84")
    }

    @Test
    func `the smallest large digits and empty lines fit into 9 rows, and into 8 without the empty lines`() {
        let sut = makeSUT(fresh("1.00"))
        #expect(sut.text(20, 9).filter { $0 == "\n" }.count == 8 && sut.text(20, 9).contains("#"))
        #expect(sut.text(20, 8).filter { $0 == "\n" }.count == 6 && sut.text(20, 8).contains("#"))
    }

    @Test func `a source other than the primary is named`() {
        #expect(
            makeSUT(fresh("1.00", after: [anyFailure()])).text(40, 2)
                == "BTC-USD $1.00\nNov 21, 14:03:07 - coinbase")
    }

    @Test func `the banner and the age are below a stale price until the next new quote`() {
        var sut = makeSUT(fresh("1.00"), stale("1.00"))
        #expect(
            sut.text(20, 6) == """
                BTC-USD $1.00
                Failed to update
                value. Displaying
                last updated value
                from Nov 21,
                14:02:26 (41 s ago)
                """)
        sut.board.record(fresh("2.00"), at: anyTime())
        #expect(sut.text(40, 2) == "BTC-USD $2.00\n^ +1.00  Nov 21, 14:03:07")
    }

    @Test func `if only the age does not fit on one line, it gets its own line`() {
        let banner = "Failed to update value. Displaying last updated value from Nov 21, 14:02:26"
        let sut = makeSUT(stale("1.00"))
        #expect(sut.text(86, 3) == "BTC-USD $1.00\n\(banner) (41 s ago)")
        for columns in [85, 80, 75] {
            #expect(sut.text(columns, 3) == "BTC-USD $1.00\n\(banner)\n(41 s ago)")
        }
        #expect(sut.text(80, 2) == "BTC-USD $1.00\nstale: Nov 21, 14:02:26 (41 s ago)")
    }

    @Test(arguments: [(40, "stale: Nov 21, 14:02:26 (41 s ago)"), (20, "! 41 s ago")])
    func `without room for the banner, one line gives the age of a stale price`(
        columns: Int, mark: String
    ) {
        for rows in [2, 3] { #expect(makeSUT(stale("1.00")).text(columns, rows) == "BTC-USD $1.00\n\(mark)") }
    }

    @Test func `a fresh price without a newer tick shows its age from 2 seconds on`() {
        var sut = makeSUT(fresh("1.00"))
        sut.now = anyTime(1999)
        #expect(sut.text(40, 2) == "BTC-USD $1.00\nNov 21, 14:03:07")
        sut.now = anyTime(2000)
        #expect(sut.text(40, 2) == "BTC-USD $1.00\nNov 21, 14:03:07 (2 s ago)")
        #expect(sut.text(25, 1) == "BTC-USD $1.00  2 s ago")
    }

    @Test func `without any quote the reason is shown, and no large dash`() {
        let sut = makeSUT(Reading(answering: anyTick(), [anyFailure()]))
        #expect(sut.text(80, 20) == "BTC-USD\n\nNo price yet: binance: any message")
        #expect(sut.text(80, 6) == "BTC-USD -\nNo price yet: binance: any message")
        #expect(sut.text(80, 2) == "BTC-USD -\nNo price yet: binance: any message")
        #expect(sut.text(30, 1) == "BTC-USD -  ! no price")
        #expect(sut.text(12, 1) == "! no price" && sut.text(5, 1) == "!")
    }

    @Test(arguments: [
        (53, "BTC-USD $3,012.55  stale: Nov 21, 14:02:26 (41 s ago)"), (52, "BTC-USD $3,012.55  ! 41 s ago"),
        (28, "BTC-USD $3,012.55  ! 41 s"), (24, "$3,012.55 ! 41 s"), (15, "... ! 41 s"), (9, "! 41 s"),
        (5, "!"), (1, "!"),
    ])
    func `in one row a stale price is shown beside its age, and its mark is left out last`(
        columns: Int, line: String
    ) {
        #expect(makeSUT(stale("3012.55")).text(columns, 1) == line)
    }

    @Test(arguments: [
        (21, "BTC-USD $1,234,567.89"), (20, "$1,234,567.89"), (12, "BTC-USD ..."), (10, "..."), (3, "..."),
    ])
    func `a price that does not fit is replaced as a whole`(columns: Int, line: String) {
        let sut = makeSUT(fresh("1234567.89"))
        for rows in [1, 3] { #expect(sut.text(columns, rows).split(separator: "\n").first == line[...]) }
        #expect(sut.text(columns, 20).contains("\n$1,234,567.89\n") == (columns > 12))
    }

    @Test func `a character of two columns counts as two`() {
        let sut = makeSUT(fresh("1.00"), locale: "ja_JP")
        #expect(sut.text(17, 2) == "BTC-USD $1.00\n11月 21, 14:03:07")
        #expect(sut.text(16, 2).hasSuffix("\n..."))
    }
}
