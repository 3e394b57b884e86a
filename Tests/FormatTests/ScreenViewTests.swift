import PipeCommon
import TestSupport
import Testing

@testable import price_format

/// What fills a screen: golden screens at several sizes.
struct ScreenViewTests {
    init() { LocalZone.useUTC() }

    private func makeSUT(_ words: String..., colours: Bool = false, glyphs: Glyphs = .ascii) throws
        -> ScreenView
    {
        let options = try FormatOptions(Arguments(words, FormatOptions.manual))
        return ScreenView(options, Palette(usesColor: colours), glyphs)
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

    /// Lines without the spaces at their ends, as a terminal shows them.
    private func screen(_ view: ScreenView, _ columns: Int, _ rows: Int) -> String {
        view.lines(.init(columns: columns, rows: rows)).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

    @Test func `in 80 columns the price is large, with the symbol above and the time below`() throws {
        var sut = try makeSUT()
        sut.note(fresh("68901.23"))
        #expect(
            screen(sut, 80, 24) == """
                BTC-USD

                ######  ######  ######        ######  ######    ##        ######  ######
                ####    ##      ##  ##        ##  ##  ##  ##  ####            ##      ##
                ######  ######  ######        ######  ##  ##    ##        ######  ######
                  ####  ##  ##  ##  ##    ##      ##  ##  ##    ##        ##          ##
                ######  ######  ######  ##    ######  ######  ######  ##  ######  ######

                Nov 21, 14:03
                """)
    }

    @Test func `in 44 columns its dots are narrower`() throws {
        var sut = try makeSUT()
        sut.note(fresh("68901.23"))
        #expect(
            screen(sut, 44, 12) == """
                BTC-USD

                ### ### ###    ### ###  #    ### ###
                ##  #   # #    # # # # ##      #   #
                ### ### ###    ### # #  #    ### ###
                 ## # # # #  #   # # #  #    #     #
                ### ### ### #  ### ### ### # ### ###

                Nov 21, 14:03
                """)
    }

    @Test func `in 20 columns it is text, and what does not fit in a line takes two`() throws {
        var sut = try makeSUT()
        sut.note(fresh("68900.00"))
        sut.note(fresh("68901.23"))
        #expect(
            screen(sut, 20, 6) == """
                $68,901.23
                Nov 21, 14:03
                ^ +1.23
                """)
    }

    @Test func `in 200 columns it fills the space`() throws {
        var sut = try makeSUT()
        sut.note(fresh("68901.23"))
        let lines = sut.lines(.init(columns: 200, rows: 50))
        #expect(lines.count == 14 && lines[2].count > 140 && lines.allSatisfy { $0.count <= 200 })
    }

    @Test func `up and down have a sign and a colour, and the first price has neither`() throws {
        var sut = try makeSUT(colours: true, glyphs: .unicode)
        sut.note(fresh("100.00"))
        #expect(sut.lines(.init(columns: 30, rows: 2)) == ["\u{1B}[1m$100.00\u{1B}[0m", "Nov 21, 14:03"])
        sut.note(fresh("102.50"))
        #expect(sut.lines(.init(columns: 30, rows: 2))[1] == "\u{1B}[32m▲ +2.50\u{1B}[0m  Nov 21, 14:03")
        sut.note(fresh("100.25"))
        #expect(sut.lines(.init(columns: 30, rows: 2))[1] == "\u{1B}[31m▼ -2.25\u{1B}[0m  Nov 21, 14:03")
        sut.note(fresh("100.25"))
        #expect(sut.lines(.init(columns: 30, rows: 2))[1] == "Nov 21, 14:03")
    }

    @Test func `a source that is not the primary is named`() throws {
        var sut = try makeSUT()
        sut.note(fresh("1.00", after: [anyFailure()]))
        #expect(screen(sut, 40, 2) == "$1.00\nNov 21, 14:03 - coinbase")
    }

    @Test
    func
        `while there is no new quote the banner stands below the last one, and the next good tick takes it away`()
        throws
    {
        var sut = try makeSUT()
        sut.note(fresh("1.00"))
        sut.note(stale("1.00"))
        #expect(
            screen(sut, 20, 6) == """
                $1.00
                Failed to update
                value. Displaying
                last updated value
                from Nov 21, 14:03
                """)
        sut.note(fresh("2.00"))
        #expect(screen(sut, 40, 2) == "$2.00\n^ +1.00  Nov 21, 14:03")
    }

    @Test func `with nothing known it shows a dash`() throws {
        var sut = try makeSUT()
        sut.note(Reading(answering: anyTick(), [anyFailure()]))
        #expect(
            screen(sut, 80, 2).hasPrefix("-\nFailed to update value. Displaying last updated value from -"))
    }

    @Test func `symbols share the rows, each named`() throws {
        var sut = try makeSUT()
        sut.note(fresh("1.00"))
        sut.note(fresh("2.00", symbol: "ETH-USD"))
        #expect(screen(sut, 30, 4) == "$1.00\nNov 21, 14:03\nETH-USD $2.00\nNov 21, 14:03")
    }

    @Test(arguments: [(1, 1), (1, 50), (200, 1), (7, 3), (20, 24), (43, 9), (80, 8), (300, 100)])
    func `nothing is wider or higher than the screen`(columns: Int, rows: Int) throws {
        var sut = try makeSUT()
        for reading in [
            fresh("68901.23"), fresh("123456789012.12", after: [anyFailure()]), stale("0.000000012345"),
        ] {
            sut.note(reading)
            sut.note(fresh("3.00", symbol: "AN-EXTREMELY-LONG-SYMBOL.NAME_32"))
            let lines = sut.lines(.init(columns: columns, rows: rows))
            #expect(!lines.isEmpty && lines.count <= rows && lines.allSatisfy { $0.count <= columns })
        }
    }
}

struct BarViewTests {
    private func show(_ line: String) -> String {
        RunningProgram.run("price-format", ["--style", "bar"], input: line).output
    }

    @Test func `each reading is one line, and a stale one says so in text`() {
        let stale = quoteLine().dropLast() + #","error":true}"#
        #expect(show(quoteLine()) == "$68,901.23\n")
        #expect(show(String(stale)) == "$68,901.23 (stale: Nov 21, 14:03)\n")
        #expect(show(failureLine()) == "- (no price)\n")
        #expect(show(quoteLine("3012.55", symbol: "ETH-USD")) == "ETH-USD $3,012.55\n")
    }
}
