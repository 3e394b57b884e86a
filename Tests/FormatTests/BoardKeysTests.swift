import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The keys of the board, which select, find and sort rows, show details and help, stop the clock and quit.
@Suite(.unit) struct BoardKeysTests {
    private let up = "\u{1B}[A", down = "\u{1B}[B"

    /// A board with the rows C, B and A, sorted by price.
    private func makeSUT(_ glyphs: Glyphs = .unicode) -> BoardSession {
        var sut = BoardSession(glyphs: glyphs)
        sut.beat("A-USD 1.00", "B-USD 2.00", "C-USD 3.00")
        return sut
    }

    @Test func `no row is selected at first, and Esc clears the selection`() {
        var sut = makeSUT()
        #expect(sut.selected == nil && !sut.text(80, 24).contains("▸"))
        sut.type("rj")
        #expect(sut.selected == "A-USD" && sut.text(80, 24).contains("\n▸ A-USD"))
        sut.type("\u{1B}")
        #expect(sut.selected == nil)
    }

    @Test func `arrow keys, j, k, g, G, Home, End and page keys move the selection within the list`() {
        var sut = makeSUT()
        let moves = [
            (down, "C-USD"), ("j", "B-USD"), (down, "A-USD"), ("j", "A-USD"), (up, "B-USD"), ("k", "C-USD"),
            ("k", "C-USD"), ("G", "A-USD"), ("g", "C-USD"), ("\u{1B}[F", "A-USD"), ("\u{1B}[H", "C-USD"),
            ("\u{1B}[6~", "A-USD"), ("\u{1B}[5~", "C-USD"),
        ]
        for (key, symbol) in moves {
            sut.type(key, page: 2)
            #expect(sut.selected == symbol)
        }
    }

    @Test func `if not all rows fit, the list scrolls with the selection and shows which rows are visible`() {
        var sut = BoardSession()
        for number in 10..<35 { sut.record("S\(number)-USD \(100 - number)") }
        let frames = [
            ("", 0, "  S10-USD", "── 1-5 of 25 ─"), ("/s20\r\u{1B}", 2, "▸ S20-USD", "─ 9-13 of 25 ─"),
            ("G", 4, "▸ S34-USD", "─ 21-25 of 25 ─"), ("g\u{1B}[6~", 2, "▸ S17-USD", "── 6-10 of 25 ─"),
        ]
        for (keys, place, row, rule) in frames {
            sut.type(keys, page: 7)
            let lines = Array(sut.lines(40, 10).dropFirst(3))
            #expect(lines[place].hasPrefix(row) && lines[5].hasSuffix(rule) && lines[5].count == 40)
        }
    }

    @Test func `a search lists only matching rows, or all rows if none match`() {
        var sut = makeSUT()
        sut.board.names = SymbolNames("A-USD\tAlpha\nB-USD\tBeta\nC-USD\tAlphabet")
        func listed() -> String {
            sut.text(80, 24).split(separator: "\n").compactMap { line in
                ["A-USD", "B-USD", "C-USD"].first { line.contains($0) }?.prefix(1)
            }.joined()
        }
        sut.type("/alpha")
        #expect(listed().sorted() == ["A", "C"])
        sut.type("\r")
        #expect(listed().sorted() == ["A", "C"] && sut.text(80, 24).contains("/alpha  esc show all"))
        // Select the next match.
        let first = sut.selected
        sut.type("j")
        #expect(sut.selected != first && listed().contains(sut.selected!.prefix(1)))
        sut.type("\u{1B}")
        #expect(listed().sorted() == ["A", "B", "C"] && sut.selected != nil)
        sut.type("/xyz")
        #expect(listed().count == 3 && sut.text(80, 24).contains("no match"))
        sut.type("\r/\r")
        #expect(listed().count == 3 && sut.text(40, 24).hasSuffix("\n↑↓ select  ⏎ details  ? keys  q quit"))
    }

    @Test func `a selected row stays selected and keeps its place while the other rows are sorted`() {
        var sut = makeSUT()
        sut.type("jj")
        #expect(sut.symbols == ["C-USD", "B-USD", "A-USD"] && sut.selected == "B-USD")
        sut.beat("A-USD 10.00", "B-USD 20.00", "C-USD 3.00")
        #expect(sut.symbols == ["A-USD", "B-USD", "C-USD"] && sut.selected == "B-USD")
        sut.beat("A-USD 10.00", "B-USD 1.00", "C-USD 3.00")
        #expect(sut.symbols == ["A-USD", "B-USD", "C-USD"])
        // At the end of a search, all rows are sorted before the next key moves the selection.
        sut.type("/\rk")
        #expect(sut.symbols == ["A-USD", "C-USD", "B-USD"] && sut.selected == "C-USD")
    }

    @Test func `s changes the order, r reverses it, and the selection stays on its symbol`() {
        var sut = BoardSession()
        sut.beat("B-USD 4.00", "C-USD 4.00", "A-USD 1.00", "D-USD")
        sut.beat("B-USD 5.00", "C-USD 3.00", "A-USD 2.00", "D-USD")
        sut.type("j")
        #expect(sut.symbols == ["B-USD", "C-USD", "A-USD", "D-USD"] && sut.selected == "B-USD")
        let orders = [
            ("r", ["A-USD", "C-USD", "B-USD", "D-USD"], "by price ▴"),
            ("rs", ["A-USD", "B-USD", "C-USD", "D-USD"], "by name ▴"),
            ("r", ["D-USD", "C-USD", "B-USD", "A-USD"], "by name ▾"),
            ("rs", ["A-USD", "B-USD", "C-USD", "D-USD"], "by last change ▾"),
            ("r", ["C-USD", "B-USD", "A-USD", "D-USD"], "by last change ▴"),
            ("rs", ["B-USD", "C-USD", "A-USD", "D-USD"], "as given"),
            ("r", ["D-USD", "A-USD", "C-USD", "B-USD"], "as given, reversed"),
            ("rs", ["B-USD", "C-USD", "A-USD", "D-USD"], "by price ▾"),
        ]
        for (keys, symbols, words) in orders {
            sut.type(keys)
            #expect(sut.symbols == symbols && sut.selected == "B-USD")
            #expect(sut.text(80, 24).contains("   \(words) "))
        }
    }

    @Test func `Enter shows the selected row's details, and Enter, Esc or Backspace returns to the list`() {
        var sut = makeSUT()
        sut.type("j\r")
        #expect(sut.text(80, 24).split(separator: "\n").dropFirst().first == "C-USD")
        sut.type("j")
        #expect(sut.text(80, 24).split(separator: "\n").dropFirst().first == "B-USD")
        #expect(sut.text(80, 24).hasPrefix("● live   2 of 3 "))
        sut.type("\u{1B}")
        #expect(sut.text(80, 24).contains("\n▸ B-USD"))
        // Without a selection, Enter shows the details of the first row; without rows, it does nothing.
        sut.type("\u{1B}")
        sut.type("\r")
        #expect(sut.board.choice.page == .details && sut.selected == "C-USD")
        for key in ["\r", "\u{7F}"] {
            #expect(sut.board.choice.page == .details)
            sut.type(key)
            #expect(sut.board.choice.page == .list && sut.selected == "C-USD")
            sut.type("\r")
        }
        // In the list, Backspace does nothing.
        for key in ["\u{1B}", "\u{1B}", "\u{7F}"] { sut.type(key) }
        #expect(sut.board.choice.page == .list && sut.selected == nil)
        var empty = BoardSession()
        empty.type("\r")
        #expect(empty.board.choice.page == .list && empty.board.isLive)
    }

    @Test func `q quits, space and p stop or start the clock, and Ctrl-L redraws everything`() {
        var sut = makeSUT()
        #expect(
            sut.type("q") == [.quit] && sut.type(" ") == [.toggleClock] && sut.type("p") == [.toggleClock])
        #expect(sut.type("\u{C}") == [.redraw] && sut.type("xyz0") == [])
    }

    @Test(arguments: [false, true])
    func `a question mark shows the help, and any key except q hides the help`(isASCII: Bool) throws {
        var sut = makeSUT(isASCII ? .ascii : .unicode)
        sut.type("r?")
        try expect(sut.text(80, 24), inFile: isASCII ? "Frames/help-ascii" : "Frames/help")
        sut.type("j")
        #expect(!sut.text(80, 24).contains("PgUp") && sut.selected == nil)
        #expect(sut.type("?") == [] && sut.text(9, 24).hasSuffix("\nq quit") && sut.type("?? j") == [])
        #expect(sut.text(80, 24).contains(isASCII ? "\n> " : "\n▸ ") && sut.type("?q") == [.quit])
    }

    @Test func `text typed after a slash selects a row whose symbol or name contains the text`() {
        var sut = BoardSession()
        sut.board.names = SymbolNames("C-USD\tThe wanted one")
        sut.beat("A-USD 1.00", "AB-USD 5.00", "C-USD 3.00", "B-USD 4.00")
        for (text, symbol) in [
            ("a", "AB-USD"), ("A-", "A-USD"), ("b", "B-USD"), ("b-u", "B-USD"), ("wanted", "C-USD"),
        ] {
            sut.type("/" + text)
            #expect(sut.selected == symbol && sut.text(80, 24).hasSuffix("\n/\(text)"))
            sut.type("\r")
            #expect(sut.selected == symbol && sut.text(80, 24).hasSuffix("q quit"))
        }
    }

    @Test func `a search moves the selection only to matching rows, and Esc moves it back`() {
        var sut = makeSUT()
        sut.type("j/b")
        #expect(sut.selected == "B-USD")
        sut.type("q ")
        #expect(sut.selected == "B-USD" && sut.text(80, 24).hasSuffix("\n/bq   no match"))
        sut.type("\u{7F}\u{7F}\u{7F}")
        #expect(sut.selected == "C-USD")
        sut.type("a\u{1B}")
        #expect(sut.selected == "C-USD" && sut.board.choice.find == nil)
        for keys in ["\u{1B}", "/a", "\u{1B}", "/a\u{7F}\u{7F}", "/a", "\u{7F}"] { sut.type(keys) }
        #expect(sut.selected == nil && sut.board.choice.place == nil)
        // A search text is limited to 32 characters; further characters are ignored.
        let text = String(repeating: "ab", count: 16)
        sut.type("\(text)c\u{1}é")
        #expect(sut.text(80, 24).hasSuffix("\n/\(text)  no match"))
    }

    @Test func `Enter ends a search even if a symbol has disappeared since the last frame`() {
        var sut = makeSUT()
        sut.type("G/x")
        for _ in 0..<5 { sut.beat("A-USD 1.00", "C-USD 3.00") }
        sut.type("\r")
        #expect(sut.symbols == ["C-USD", "A-USD"] && sut.selected == "A-USD")
    }

    @Test func `if a stopped clock is started and immediately stopped again, no price becomes stale`() {
        var sut = makeSUT()
        for _ in 0..<2 { sut.beat("A-USD 1.00", "B-USD 2.00", "C-USD 3.00") }
        for step in ["p", "+3500", "p", "p"] { sut.play(Substring(step)) }
        #expect(!sut.text(80, 24).contains("!"))
    }

    @Test func `the details page can show a symbol that was given in lowercase or has no reading yet`() {
        var sut = BoardSession()
        (sut.board.choice.page, sut.board.choice.selected) = (.details, Symbol("b-usd"))
        sut.beat("A-USD 1.00")
        #expect(sut.text(80, 3).hasSuffix("\nno reading for b-usd yet"))
        sut.beat("A-USD 1.00", "B-USD 2.00")
        #expect(sut.text(80, 3).contains("\nB-USD $2.00"))
        sut.type("\u{1B}")
        #expect(sut.symbols == ["B-USD", "A-USD"] && sut.selected == "B-USD")
        // If the selected symbol has no row, the key j selects the first row.
        (sut.board.choice.place, sut.board.choice.selected) = (nil, Symbol("C-USD"))
        sut.type("j")
        #expect(sut.selected == "B-USD")
    }

    @Test func `if no symbol is given, the details page and the window title show the first symbol`() {
        var sut = BoardSession()
        sut.board.choice.page = .details
        sut.type("/")
        sut.beat("A-USD 1.00", "B-USD 2.00")
        sut.type("\u{1B}")
        #expect(sut.text(80, 24).contains("\nA-USD\n") && sut.frame(80, 24).title == "A-USD $1.00")
        sut.beat("A-USD", "B-USD 2.00")
        #expect(sut.frame(80, 24).title == "A-USD $1.00 (stale)")
        sut.type("\u{1B}")
        #expect(sut.selected == "A-USD" && sut.frame(80, 24).title == "btc-price: 1 of 2 current")
    }

    @Test func `if there is no room for the line of keys, the search text is shown in the last row`() {
        var sut = makeSUT()
        sut.type("/b")
        #expect(sut.text(80, 2).hasSuffix("\n/b") && sut.text(80, 1) == "/b" && sut.text(1, 1) == "/")
    }

    @Test(arguments: [
        (80, "↑↓ select  ⏎ details  s sort  / find  ? keys  q quit", ""),
        (80, "↑↓ select  ⏎ details  s sort  / find  space stop  ? keys  q quit", "clock"),
        (80, "↑↓ select  ⏎ details  s sort  / find  space start  ? keys  q quit", "stopped clock"),
        (40, "↑↓ select  ⏎ details  ? keys  q quit", ""), (20, "? keys  q quit", ""), (6, "? keys", ""),
    ])
    func `the last line lists as many keys as fit, without the clock's key if there is no clock`(
        columns: Int, line: String, clock: String
    ) {
        var sut = makeSUT()
        sut.board.hasClock = !clock.isEmpty
        if clock == "stopped clock" { sut.board.toggleClock(at: sut.moment) }
        #expect(sut.text(columns, 24).hasSuffix("\n\(line)"))
    }
}
