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

        mutating func record(_ reading: Reading) {
            board.record(reading)
        }

        func lines(_ columns: Int, _ rows: Int) -> [String] {
            view.lines(board, ScreenSize(columns: columns, rows: rows))
        }
    }

    private func makeSUT(usesColor: Bool = false, glyphs: Glyphs = .ascii) -> Screen {
        Screen(view: ScreenView(.inUTC(), Palette(usesColor: usesColor), glyphs))
    }

    private func fresh(_ price: String, symbol: String? = nil, after failures: [Failure] = []) -> Reading {
        let source = failures.isEmpty ? "binance" : "coinbase"
        return Reading(answering: anyTick(symbol: symbol), anyQuote(price), from: source, after: failures)
    }

    private func stale(_ price: String) -> Reading {
        var reading = fresh(price, after: [anyFailure()])
        reading.error = true
        return reading
    }

    /// The lines without trailing blanks, as a terminal shows them.
    private func screen(_ sut: Screen, _ columns: Int, _ rows: Int) -> String {
        sut.lines(columns, rows).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

    @Test func `in 80 columns the price is large, with the symbol above and the time below`() {
        var sut = makeSUT()
        sut.record(fresh("68901.23"))
        #expect(
            screen(sut, 80, 24) == """
                BTC-USD

                  ########  ######  ######        ######  ######    ##        ######  ######
                ##  ##      ##      ##  ##        ##  ##  ##  ##  ####            ##      ##
                  ######    ######  ######        ######  ##  ##    ##        ######  ######
                    ##  ##  ##  ##  ##  ##    ##      ##  ##  ##    ##        ##          ##
                ########    ######  ######  ##    ######  ######  ######  ##  ######  ######

                Nov 21, 14:03
                """)
    }

    @Test func `in 44 columns the dots are narrower`() {
        var sut = makeSUT()
        sut.record(fresh("68901.23"))
        #expect(
            screen(sut, 44, 12) == """
                BTC-USD

                 #### ### ###    ### ###  #    ### ###
                # #   #   # #    # # # # ##      #   #
                 ###  ### ###    ### # #  #    ### ###
                  # # # # # #  #   # # #  #    #     #
                ####  ### ### #  ### ### ### # ### ###

                Nov 21, 14:03
                """)
    }

    @Test func `in 20 columns the price is plain text, and the time and the change have a line each`() {
        var sut = makeSUT()
        sut.record(fresh("68900.00"))
        sut.record(fresh("68901.23"))
        #expect(
            screen(sut, 20, 6) == """
                $68,901.23
                Nov 21, 14:03
                ^ +1.23
                """)
    }

    @Test func `in 200 columns the price fills the space`() {
        var sut = makeSUT()
        sut.record(fresh("68901.23"))
        let lines = sut.lines(200, 50)
        #expect(lines.count == 14 && lines[2].count > 140 && lines.allSatisfy { $0.count <= 200 })
    }

    @Test func `up and down have a sign and a color, and the first price has neither`() {
        var sut = makeSUT(usesColor: true, glyphs: .unicode)
        sut.record(fresh("100.00"))
        #expect(sut.lines(30, 2) == ["\u{1B}[1m$100.00\u{1B}[0m", "Nov 21, 14:03"])
        sut.record(fresh("102.50"))
        #expect(sut.lines(30, 2).last == "\u{1B}[32m▲ +2.50\u{1B}[0m  Nov 21, 14:03")
        sut.record(fresh("100.25"))
        #expect(sut.lines(30, 2).last == "\u{1B}[31m▼ -2.25\u{1B}[0m  Nov 21, 14:03")
        sut.record(fresh("100.25"))
        #expect(sut.lines(30, 2).last == "Nov 21, 14:03")
    }

    @Test func `a source other than the primary is named`() {
        var sut = makeSUT()
        sut.record(fresh("1.00", after: [anyFailure()]))
        #expect(screen(sut, 40, 2) == "$1.00\nNov 21, 14:03 - coinbase")
    }

    @Test
    func
        `the banner is below a stale price, and the next new quote removes it`()
    {
        var sut = makeSUT()
        sut.record(fresh("1.00"))
        sut.record(stale("1.00"))
        #expect(
            screen(sut, 20, 6) == """
                $1.00
                Failed to update
                value. Displaying
                last updated value
                from Nov 21, 14:03
                """)
        sut.record(fresh("2.00"))
        #expect(screen(sut, 40, 2) == "$2.00\n^ +1.00  Nov 21, 14:03")
    }

    @Test func `without any quote it shows a dash`() {
        var sut = makeSUT()
        sut.record(Reading(answering: anyTick(), [anyFailure()]))
        #expect(
            screen(sut, 80, 2).hasPrefix("-\nFailed to update value. Displaying last updated value from -"))
    }

    @Test func `symbols share the rows, and each is named`() {
        var sut = makeSUT()
        sut.record(fresh("1.00"))
        sut.record(fresh("2.00", symbol: "ETH-USD"))
        #expect(screen(sut, 30, 4) == "$1.00\nNov 21, 14:03\nETH-USD $2.00\nNov 21, 14:03")
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

    @Test func `three symbols have a third of the rows each`() {
        var sut = makeSUT()
        for symbol in ["A-USD", "B-USD", "C-USD"] { sut.record(fresh("1.00", symbol: symbol)) }
        let lines = sut.lines(80, 24)
        // 8 rows are one too few for a heading above large digits.
        #expect(lines.count == 3 * 6)
        #expect(lines.indices.filter { lines[$0] == "Nov 21, 14:03" } == [5, 11, 17])
    }
}
