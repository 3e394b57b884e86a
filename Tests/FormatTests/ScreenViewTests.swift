import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// Golden screens of several sizes.
@Suite(.unit) struct ScreenViewTests {
    /// A board and the view that shows it.
    private struct Screen {
        var board = Board()
        let view: ScreenView
        var now = anyTime()

        mutating func record(_ reading: Reading) {
            board.record(reading, at: anyTime())
        }

        var title: String { view.title(board, at: Moment(now)) }

        func lines(_ columns: Int, _ rows: Int) -> [String] {
            view.lines(board, at: now, ScreenSize(columns: columns, rows: rows))
        }

        /// The lines as a terminal shows them: without trailing blanks, and without the sign of the beat.
        func text(_ columns: Int, _ rows: Int) -> String {
            lines(columns, rows).map { line in
                let end = line.last.map { "*+".contains($0) } == true && line.count == columns ? 1 : 0
                return String(line.dropLast(end).reversed().drop { $0 == " " }.reversed())
            }.joined(separator: "\n")
        }
    }

    private func makeSUT(
        usesColor: Bool = false, glyphs: Glyphs = .ascii, _ readings: Reading..., locale: String = "en_US"
    ) -> Screen {
        let wording = Wording.inUTC(timeFormat: "MMM d, HH:mm:ss", locale: locale)
        var sut = Screen(view: ScreenView(wording, Palette(usesColor: usesColor), glyphs))
        for reading in readings { sut.record(reading) }
        return sut
    }

    private func fresh(_ price: String, symbol: String? = nil, after failures: [Failure] = []) -> Reading {
        let source = failures.isEmpty ? "binance" : "coinbase"
        return Reading(answering: anyTick(symbol: symbol), anyQuote(price), from: source, after: failures)
    }

    /// The last known price, 41 seconds old.
    private func stale(_ price: String, symbol: String? = nil) -> Reading {
        let quote = anyQuote(price, at: anyTime(-41_000))
        var reading = Reading(
            answering: anyTick(symbol: symbol), quote, from: "binance", after: [anyFailure()])
        reading.error = true
        return reading
    }

    private let none = Reading(answering: anyTick(), [anyFailure()])

    @Test func `in 80 columns the price is large, with the symbol above and the time below`() {
        #expect(
            makeSUT(fresh("68901.23")).text(80, 24) == """
                BTC-USD

                  ########  ######  ######        ######  ######    ##        ######  ######
                ##  ##      ##      ##  ##        ##  ##  ##  ##  ####            ##      ##
                  ######    ######  ######        ######  ##  ##    ##        ######  ######
                    ##  ##  ##  ##  ##  ##    ##      ##  ##  ##    ##        ##          ##
                ########    ######  ######  ##    ######  ######  ######  ##  ######  ######

                Nov 21, 14:03:07
                """)
    }

    @Test func `in 44 columns the dots are narrower`() {
        #expect(
            makeSUT(fresh("68901.23")).text(44, 12)
                == """
                BTC-USD

                 ████ ███ ███    ███ ███  █    ███ ███
                █ █   █   █ █    █ █ █ █ ██      █   █
                 ███  ███ ███    ███ █ █  █    ███ ███
                  █ █ █ █ █ █  █   █ █ █  █    █     █
                ████  ███ ███ █  ███ ███ ███ █ ███ ███

                Nov 21, 14:03:07
                """.replacing("█", with: "#"))
    }

    @Test func `in 20 columns the price is plain text, and the time and the change have a line each`() {
        #expect(
            makeSUT(fresh("68900.00"), fresh("68901.23")).text(20, 6) == """
                $68,901.23
                Nov 21, 14:03:07
                ^ +1.23
                """)
    }

    @Test func `in 200 columns the price fills the space`() {
        let lines = makeSUT(fresh("68901.23")).lines(200, 50)
        #expect(lines.count == 14 && lines[2].count > 140 && lines.allSatisfy { $0.count <= 200 })
    }

    @Test func `up and down have a sign and a color, and the first price has neither`() {
        var sut = makeSUT(usesColor: true, glyphs: .unicode, fresh("100.00"))
        #expect(
            sut.lines(30, 2) == [
                "\u{1B}[1m$100.00\u{1B}[0m" + String(repeating: " ", count: 22) + "○", "Nov 21, 14:03:07",
            ])
        sut.record(fresh("102.50"))
        #expect(sut.lines(30, 2).last == "\u{1B}[32m▲ +2.50\u{1B}[0m  Nov 21, 14:03:07")
        sut.record(fresh("100.25"))
        #expect(sut.lines(30, 2).last == "\u{1B}[31m▼ -2.25\u{1B}[0m  Nov 21, 14:03:07")
        sut.record(fresh("100.25"))
        #expect(sut.lines(30, 2).last == "Nov 21, 14:03:07")
    }

    @Test func `for a second after it has moved, a price has the color of its move`() {
        var sut = makeSUT(usesColor: true, fresh("1.00"), fresh("2.00"))
        #expect(sut.lines(30, 2).first?.hasPrefix("\u{1B}[32m$2.00\u{1B}[0m") == true)
        sut.now = anyTime(1000)
        #expect(sut.lines(30, 2).first?.hasPrefix("\u{1B}[1m$2.00\u{1B}[0m") == true)
    }

    @Test func `where there is room, the session is a line`() {
        var sut = makeSUT(glyphs: .unicode)
        for (second, price) in [(0, "1.00"), (1, "3.00"), (2, "2.00")] {
            sut.now = anyTime(second * 1000)
            let tick = Tick(number: second, at: sut.now)
            sut.board.record(
                Reading(answering: tick, anyQuote(price, at: sut.now), from: "binance"), at: sut.now)
        }
        #expect(sut.text(80, 24).hasSuffix("\n\n▼ -1.00  Nov 21, 14:03:09\n▁█▄"))
    }

    @Test func `the change of today is beside the last one, where it fits`() {
        var sut = makeSUT(fresh("100.00"), fresh("101.84"))
        let begin = Timestamp("2026-11-20T00:00:00.000Z")!
        sut.record(
            Reading(
                answering: Tick(at: begin, candle: .day), anyQuote("100.00", at: begin + .seconds(86_400)),
                from: "binance"))
        #expect(sut.text(60, 2) == "$101.84\n^ +1.84  +1.84 % today  Nov 21, 14:03:07")
        #expect(sut.text(70, 1) == "$101.84  ^ +1.84  +1.84 % today  Nov 21, 14:03:07")
        #expect(sut.text(30, 2) == "$101.84\n^ +1.84  Nov 21, 14:03:07")
        #expect(sut.text(30, 3) == "$101.84\nNov 21, 14:03:07\n^ +1.84  +1.84 % today")
        #expect(sut.text(20, 3) == "$101.84\nNov 21, 14:03:07\n^ +1.84")
    }

    @Test func `a source other than the primary is named`() {
        #expect(
            makeSUT(fresh("1.00", after: [anyFailure()])).text(40, 2) == "$1.00\nNov 21, 14:03:07 - coinbase")
    }

    @Test func `the banner and the age are below a stale price, and the next new quote removes them`() {
        var sut = makeSUT(fresh("1.00"), stale("1.00"))
        #expect(
            sut.text(20, 6) == """
                $1.00
                Failed to update
                value. Displaying
                last updated value
                from Nov 21,
                14:02:26 (41 s ago)
                """)
        sut.record(fresh("2.00"))
        #expect(sut.text(40, 2) == "$2.00\n^ +1.00  Nov 21, 14:03:07")
    }

    @Test(arguments: [(3, "stale: Nov 21, 14:02:26 (41 s ago)"), (2, "stale: Nov 21, 14:02:26 (41 s ago)")])
    func `where there is no room for the banner, one line says how old a stale price is`(
        rows: Int, mark: String
    ) {
        #expect(makeSUT(stale("1.00")).text(40, rows) == "$1.00\n\(mark)")
        #expect(makeSUT(stale("1.00")).text(20, rows) == "$1.00\n! 41 s ago")
    }

    @Test func `a fresh price without a newer tick shows its age from 2 seconds on`() {
        var sut = makeSUT(fresh("1.00"))
        sut.now = anyTime(1999)
        #expect(sut.text(40, 2) == "$1.00\nNov 21, 14:03:07")
        sut.now = anyTime(2000)
        #expect(sut.text(40, 2) == "$1.00\nNov 21, 14:03:07 (2 s ago)")
        #expect(sut.text(20, 1) == "$1.00  2 s ago")
    }

    @Test func `without any quote it shows a dash`() {
        let sut = makeSUT(none)
        #expect(sut.text(80, 2) == "-\nFailed to update value. Displaying last updated value from -")
        #expect(
            sut.text(20, 1) == "-  ! no price" && sut.text(12, 1) == "! no price" && sut.text(5, 1) == "!")
    }

    @Test func `symbols share the rows, and each is named`() {
        let sut = makeSUT(fresh("1.00"), fresh("2.00", symbol: "ETH-USD"))
        #expect(sut.text(30, 4) == "BTC-USD $1.00\nNov 21, 14:03:07\nETH-USD $2.00\nNov 21, 14:03:07")
    }

    @Test func `three symbols have a third of the rows each, and a name above the large digits`() {
        var sut = makeSUT()
        for symbol in ["A-USD", "B-USD", "C-USD"] { sut.record(fresh("1.00", symbol: symbol)) }
        let lines = sut.text(80, 24).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.indices.filter { lines[$0].hasSuffix("-USD") } == [0, 8, 16])
        #expect(lines.indices.filter { lines[$0] == "Nov 21, 14:03:07" } == [6, 14, 22])
    }

    @Test func `more symbols than rows: the last row says how many are not shown, and how many are stale`() {
        var sut = makeSUT()
        for number in 1...25 { sut.record(fresh("1.00", symbol: "S\(number)-USD")) }
        let lines = sut.text(80, 24).split(separator: "\n")
        #expect(lines.count == 24 && lines.first == "S1-USD $1.00  Nov 21, 14:03:07")
        #expect(lines.last == "2 more symbols not shown")
        sut.record(stale("1.00", symbol: "S25-USD"))
        #expect(sut.text(80, 24).hasSuffix("\n2 more symbols not shown, 1 stale"))
        #expect(sut.text(16, 24).hasSuffix("\n2 more, 1 stale") && sut.text(5, 24).hasSuffix("\n+2!"))
        #expect(sut.text(80, 25).hasSuffix("\nS25-USD $1.00  stale: Nov 21, 14:02:26 (41 s ago)"))
    }

    @Test(arguments: [
        (53, "ETH-USD $3,012.55  stale: Nov 21, 14:02:26 (41 s ago)"), (52, "ETH-USD $3,012.55  ! 41 s ago"),
        (28, "ETH-USD $3,012.55  ! 41 s"), (24, "ETH-USD ... ! 41 s"), (17, "... ! 41 s"), (9, "! 41 s"),
        (5, "!"), (1, "!"),
    ])
    func `in one row a stale price has its age beside it, and its mark is the last thing to go`(
        columns: Int, line: String
    ) {
        let sut = makeSUT(stale("3012.55", symbol: "ETH-USD"), fresh("1.00"))
        #expect(sut.text(columns, 2).split(separator: "\n").first.map(String.init) == line)
    }

    @Test(arguments: [(13, "$1,234,567.89"), (12, "..."), (9, "..."), (2, "..")])
    func `a price that does not fit is replaced as a whole`(columns: Int, line: String) {
        let sut = makeSUT(fresh("1234567.89"))
        for rows in [1, 3, 20] {
            let lines = sut.text(columns, rows).split(separator: "\n")
            #expect(lines.contains(Substring(line)))
            #expect(lines.allSatisfy { !$0.contains("$") || $0 == "$1,234,567.89" })
        }
    }

    @Test func `a character of two columns counts as two`() {
        let sut = makeSUT(glyphs: .unicode, fresh("1.00"), locale: "ja_JP")
        #expect(sut.text(17, 2) == "$1.00           ○\n11月 21, 14:03:07")
        #expect(sut.text(16, 2).hasSuffix("\n…"))
    }

    @Test func `a sign in the corner changes with each beat, however many symbols it has`() {
        var sut = makeSUT(fresh("1.00"))
        func corner() -> Character? { sut.lines(20, 2).first?.last }
        let first = corner()
        sut.record(fresh("1.00", symbol: "ETH-USD"))
        #expect(corner() == first)
        sut.record(
            Reading(answering: Tick(number: 13, at: anyTime(1000)), anyQuote("1.00"), from: "binance"))
        #expect(corner() != first)
    }

    @Test func `the title is the first symbol and its price`() {
        var sut = makeSUT(fresh("68901.23"), fresh("1.00", symbol: "ETH-USD"))
        #expect(sut.title == "BTC-USD $68,901.23")
        sut.record(stale("68901.23"))
        #expect(sut.title == "BTC-USD $68,901.23 (stale)")
        #expect(makeSUT(none).title == "BTC-USD - (stale)")
    }

    @Test(arguments: [(1, 1), (1, 50), (200, 1), (7, 3), (20, 24), (43, 9), (80, 8), (300, 100)])
    func `nothing is wider or higher than the screen`(columns: Int, rows: Int) {
        var sut = makeSUT()
        for reading in [
            fresh("68901.23"), fresh("123456789012.12", after: [anyFailure()]), stale("0.000000012345"),
        ] {
            sut.record(reading)
            sut.record(fresh("3.00", symbol: "AN-EXTREMELY-LONG-SYMBOL.NAME_32"))
            let lines = sut.lines(columns, rows)
            #expect(!lines.isEmpty && lines.count <= rows && lines.allSatisfy { $0.count <= columns })
        }
    }
}
