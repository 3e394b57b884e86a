import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The board as it is drawn: its columns, its lines and whole frames.
@Suite(.unit) struct BoardViewTests {
    private func makeSUT(glyphs: Glyphs) -> BoardSession {
        var sut = BoardSession(glyphs: glyphs)
        sut.beat("BTC-USD 68888.73", "XRP-USD 0.6123", "ETH-USD 3512.49", "PEPE-USD")
        sut.beat("BTC-USD 68901.23", "XRP-USD 0.6123", "ETH-USD 3512.08", "PEPE-USD")
        for _ in 0..<2 { sut.beat("BTC-USD 68901.23", "XRP-USD", "ETH-USD 3512.08", "PEPE-USD") }
        return sut
    }

    @Test(.fault(69), arguments: [false, true], [false, true])
    func `a wider board never shows less than a narrower board`(hasMonths: Bool, hasDays: Bool) {
        var sut = BoardSession()
        sut.board.names = SymbolNames("BTC-USD\tBitcoin")
        sut.beat("BTC-USD 68901.23 binance")
        if hasDays { sut.openDay("BTC-USD 68901.23", low: "67000.00", high: "69000.00") }
        let row = BoardRowText(sut.board.rows[0], of: sut.board, at: sut.moment, .inUTC(), .unicode)
        var smaller: (titles: [String], minute: Int) = ([], 0)
        for width in 30...250 {
            var columns = BoardColumns(width: width, .unicode)
            columns.fit([row], hasToday: true, hasMonths: hasMonths)
            let line = columns.titleLine.text(Palette(usesColor: false))
            let titles = [
                "SYMBOL", "NAME", "PRICE", "LAST MOVE", "TODAY", "DAY LOW", "DAY HIGH", "1 MIN", "31 DAYS",
                "AGE", "FROM",
            ].filter { line.contains($0) }
            #expect(Set(smaller.titles).isSubset(of: titles), "\(width): \(titles)")
            // The 1 MIN column ends two characters before the next column. The next column is 31 DAYS, whose title is
            // left-aligned, or AGE, which is five characters wide and whose title is right-aligned.
            let place = { (title: String) in line.firstRange(of: title).map { line[..<$0.lowerBound].count } }
            var minute = 0
            if let start = place("1 MIN") {
                minute = (place("31 DAYS") ?? place("AGE").map { $0 - 2 } ?? start + 10) - 2 - start
            }
            #expect(minute >= smaller.minute, "\(width): \(line)")
            smaller = (titles, minute)
        }
        #expect(smaller.titles.count == 8 + (hasMonths ? 1 : 0) + (hasDays ? 2 : 0) && smaller.minute == 60)
    }

    @Test(arguments: [(80, 24, ""), (40, 10, ""), (40, 10, "-ascii"), (80, 24, "-ascii")])
    func `a board of each size shows as much as fits, exactly as in the example file`(
        columns: Int, rows: Int, glyphs: String
    ) throws {
        let sut = makeSUT(glyphs: glyphs.isEmpty ? .unicode : .ascii)
        try expect(sut.text(columns, rows), inFile: "Frames/board-\(columns)x\(rows)\(glyphs)")
    }

    @Test func `without UTF-8, a board contains only ASCII characters`() {
        for (columns, height) in [(40, 10), (80, 24), (120, 40), (7, 3), (3, 9)] {
            #expect(makeSUT(glyphs: .ascii).text(columns, height).allSatisfy { $0.isASCII })
        }
    }

    @Test func `a price flashes for one second after a move, and its arrow stays longer`() {
        var sut = BoardSession(usesColor: true)
        sut.beat("A-USD 1.00")
        sut.beat("A-USD 2.00")
        let up = "\u{1B}[32m▲\u{1B}[0m       +1.00"
        sut.wait(999)
        #expect(sut.lines(40, 1) == ["  A-USD            \u{1B}[32m$2.00\u{1B}[0m \(up)"])
        sut.wait(1)
        #expect(sut.lines(40, 1) == ["  A-USD            $2.00 \(up)"])
        sut.beat("A-USD 1.50")
        let down = "\u{1B}[31m▼\u{1B}[0m       -0.50"
        #expect(sut.lines(40, 1) == ["  A-USD            \u{1B}[31m$1.50\u{1B}[0m \(down)"])
    }

    @Test(arguments: ["", "j\r", "jj\r", "jjj\r"])
    func `no frame is wider or taller than the screen, and no price is cut`(keys: String) {
        var sut = BoardSession()
        sut.board.names = SymbolNames("BTC-USD\tBitcoin\tThe coin of the first network.")
        sut.beat("BTC-USD 123456789012.12", "AN-EXTREMELY-LONG-SYMBOL.NAME_32 0.000000012345", "C-USD")
        sut.beat("BTC-USD 123456789010.12", "AN-EXTREMELY-LONG-SYMBOL.NAME_32", "C-USD 1.00")
        sut.type(keys)
        let prices = ["$123,456,789,010.12", "$123,456,789,012.12", "$0.000000012345", "$1.00"]
        for columns in stride(from: 1, through: 130, by: FullSize.step) {
            for rows in [1, 2, 3, 4, 6, 9, 12, 24] {
                let lines = sut.lines(columns, rows)
                #expect(!lines.isEmpty && lines.count <= rows && lines.allSatisfy { $0.columns <= columns })
                for part in lines.flatMap({ $0.split(separator: "$").dropFirst() }) {
                    #expect(
                        prices.contains {
                            "$\(part) ".hasPrefix("\($0) ") || part.hasPrefix("\($0.dropFirst()), ")
                        })
                }
            }
        }
    }

    @Test func `each part of a board is shown if there is enough room for it`() throws {
        // Given
        var sut = makeSUT(glyphs: .unicode)
        sut.board.names = SymbolNames("BTC-USD\tBitcoin\nETH-USD\tEther")
        sut.close("BTC-USD 68000.00")
        sut.openDay("BTC-USD 68901.23", low: "67000.00", high: "69000.00")
        // Then
        try expect(forms(of: 1...200) { sut.text($0, 8) }, inFile: "Frames/board-by-width")
        try expect(forms(of: 1...9) { sut.text(66, $0) }, inFile: "Frames/board-by-height")
    }

    @Test func `a wide board shows the names and a sparkline with one cell per second`() throws {
        // Given
        var sut = BoardSession()
        sut.board.names = SymbolNames("BTC-USD\tBitcoin\nETH-USD\tA currency with a long name")
        sut.close("BTC-USD 68000.00")
        // When
        for second in 0..<70 {
            sut.beat("BTC-USD \(68_901 + second % 8)", second % 10 == 9 ? "ETH-USD" : "ETH-USD 3512.08")
        }
        // Then
        try expect(sut.text(170, 8), inFile: "Frames/board-170x8")
    }

    @Test func `a board that is wide enough shows a 31-day sparkline, with a gap for an unknown close`() {
        // Given
        var sut = BoardSession(hasClock: true)
        sut.board.wantsMonths = true
        sut.beat("BTC-USD 68901.00")
        #expect(sut.board.takeRequests(at: sut.moment) == ["candles 1d 31 BTC-USD"])
        #expect(!sut.text(150, 8).contains("31 DAYS"))
        // When
        for day in 1...30 where day != 15 {
            let begin = Candle.day.beginning(of: sut.now) + .seconds(-86_400 * day)
            let quote = anyQuote("\(68_901 - day % 8)", at: begin + .seconds(86_400))
            let tick = Tick(number: 0, at: begin, symbol: Symbol("BTC-USD"), candle: .day)
            sut.board.record(Reading(answering: tick, quote, from: "binance"), at: sut.moment)
        }
        // Then
        let lines = sut.lines(150, 8)
        #expect(lines[2].contains("31 DAYS") && lines[3].contains("  ▂▃▄▅▆▇█▁▂▃▄▅▆▇█·▂▃▄▅▆▇█▁▂▃▄▅▆▇█  "))
        #expect(sut.text(126, 8).contains("31 DAYS") && !sut.text(125, 8).contains("31 DAYS"))
        #expect(sut.board.takeRequests(at: sut.moment) == [])
    }

    @Test func `if beats are over 1 s apart, the sparkline repeats a price until the next price is due`() {
        var sut = BoardSession()
        for price in [" 1", " 2", "", " 1", " 2", " 1"] { sut.beat("A-USD\(price)", after: 2500) }
        sut.wait(400)
        #expect(sut.lines(170, 1)[0].contains(" ▁▁███··▁▁▁██▁ "), "\(sut.lines(170, 1))")
    }

    @Test func `the whole selected row is in reverse video`() {
        var sut = BoardSession(usesColor: true)
        sut.beat("A-USD 1.00")
        sut.beat("A-USD 2.00")
        sut.wait(1000)
        sut.type("j")
        let parts = ["7;1m▸", "7m A-USD            $2.00 ", "7;32m▲", "7m       +1.00  "]
        #expect(sut.lines(40, 8)[3] == parts.map { "\u{1B}[\($0)\u{1B}[0m" }.joined())
        #expect(BoardSession(board: sut.board).lines(40, 8)[3].hasPrefix("▸ A-USD "))
    }

    @Test func `all prices of a symbol are shown with as many decimals as its most precise price so far`() {
        var sut = BoardSession()
        for price in ["0.2355", "0.23518", "0.232"] { sut.beat("A-USD \(price)", "B-USD 9.50") }
        #expect(sut.lines(40, 3)[2] == "  A-USD         $0.23200 ▼    -0.00318")
        sut.beat("A-USD 1.2", "B-USD 12345.6")
        #expect(
            sut.lines(40, 3).dropFirst() == [
                "  B-USD       $12,345.60 ▲  +12,336.10", "  A-USD         $1.20000 ▲    +0.96800",
            ])
        sut.type("G\r")
        #expect(sut.text(40, 24).contains("session: high $1.20000, low $0.23200"))
    }

    @Test(
        arguments: [
            (.network, "no network", "offline"), (.timeout, "no answer", "silent"),
            (.invalidData, "bad answer", "invalid"), (.rateLimited, "rate limit", "limited"),
            (.expired, "nothing new", "expired"), (.exited, "not running", "exited"),
            (.denied, "refused", "refused"), (.unsupported, "unknown", "unknown"),
            (.disputed, "disputed", "dispute"),
        ] as [(Failure.Kind, String, String)])
    func `the reason for a missing price is shown in the longest form that fits`(
        kind: Failure.Kind, words: String, word: String
    ) {
        var sut = BoardSession()
        let tick = Tick(number: 0, at: sut.now, symbol: Symbol("A-USD"))
        sut.board.record(Reading(answering: tick, [anyFailure("binance", kind)]), at: sut.moment)
        for (columns, reason) in [(80, "\(words): binance"), (70, words), (64, word)] {
            #expect(sut.lines(columns, 8)[3].hasSuffix("never  \(reason)"), "\(sut.lines(columns, 8)[3])")
        }
    }

    @Test func `without a network, the header shows a hint until the first price arrives`() {
        var sut = BoardSession(glyphs: .ascii, offlineHint: "try thís")
        let tick = Tick(number: 0, at: sut.now, symbol: Symbol("A-USD"))
        sut.board.record(Reading(answering: tick, [anyFailure("binance", .network)]), at: sut.moment)
        #expect(sut.lines(80, 8)[0].hasPrefix("- no answer yet   try th?s "))
        // When
        sut.beat("A-USD 1.00")
        for _ in 0..<5 { sut.beat("A-USD") }
        // Then
        #expect(sut.lines(80, 8)[0].hasPrefix("- no answer for 5 s   every 1 s "))
    }

    @Test func `a long source name is shortened`() {
        var sut = BoardSession()
        sut.beat("BTC-USD 1.00 source-with-a-name-of-many-letters")
        let line = sut.lines(66, 1).first ?? ""
        #expect(line.hasSuffix("0 s  source-w…") && line.columns == 66)
    }
}
