import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// Whole frames of the board.
@Suite(.unit) struct BoardViewTests {
    private func makeSUT(usesColor: Bool = false, glyphs: Glyphs = .unicode) -> BoardSession {
        var sut = BoardSession(usesColor: usesColor, glyphs: glyphs)
        sut.beat("BTC-USD 68888.73", "XRP-USD 0.6123", "ETH-USD 3512.49", "PEPE-USD")
        sut.beat("BTC-USD 68901.23", "XRP-USD 0.6123", "ETH-USD 3512.08", "PEPE-USD")
        for price in ["68901.23", "68901.23"] {
            sut.beat("BTC-USD \(price)", "XRP-USD", "ETH-USD 3512.08", "PEPE-USD")
        }
        return sut
    }

    private let rows = [
        "  SYMBOL           PRICE     LAST MOVE  1 MIN       AGE  FROM",
        "  BTC-USD     $68,901.23 ▲      +12.50  ▄           0 s  binance",
        "  ETH-USD      $3,512.08 ▼       -0.41  ▄           0 s  binance",
        "  XRP-USD        $0.6123 !              ▄           2 s  no answer: binance",
        "  PEPE-USD             - !                        never  no answer: binance",
    ]

    @Test func `on 80 columns and 24 rows there are all columns and all lines`() {
        let rule = String(repeating: "─", count: 80)
        let header = "◐ 2 of 4 fresh   every 1 s   by price ▾                                 14:03:10"
        let lines = makeSUT().text(80, 24).split(separator: "\n").map(String.init)
        #expect(lines.prefix(2) == [header, rule])
        #expect(lines.dropFirst(2).prefix(5).map(strippingMinute) == rows.map(strippingMinute))
        #expect(lines.dropFirst(7).first == rule)
    }

    /// Without the sparkline, which depends on how the seconds fall into its eighths of a minute.
    private func strippingMinute(_ line: String) -> String {
        let line = line.padding(to: 60)
        return String(line.prefix(40) + line.dropFirst(48))
    }

    @Test func `on 40 columns the age of a stale price is in the place of its move`() {
        let lines = makeSUT().text(40, 10).split(separator: "\n").map(String.init)
        #expect(lines.first == "◐ 2 of 4 fresh   every 1 s   by price ▾")
        #expect(
            lines.dropFirst(2).prefix(5) == [
                "  SYMBOL           PRICE     LAST MOVE", "  BTC-USD     $68,901.23 ▲      +12.50",
                "  ETH-USD      $3,512.08 ▼       -0.41", "  XRP-USD        $0.6123 !         2 s",
                "  PEPE-USD             - !       never",
            ])
    }

    @Test func `without UTF-8 all signs are ASCII`() {
        for (columns, height) in [(40, 10), (80, 24), (120, 40), (7, 3), (3, 9)] {
            #expect(makeSUT(glyphs: .ascii).text(columns, height).allSatisfy { $0.isASCII })
        }
        let lines = makeSUT(glyphs: .ascii).text(40, 10).split(separator: "\n").map(String.init)
        #expect(lines.first == "+ 2 of 4 fresh   every 1 s   by price v")
        #expect(lines.dropFirst(3).first == "  BTC-USD     $68,901.23 ^      +12.50")
        #expect(lines.dropFirst(4).first == "  ETH-USD      $3,512.08 v       -0.41")
    }

    @Test func `a price flashes for one second after it has moved, and its arrow stays`() {
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

    @Test(arguments: [
        (24, "BTC-USD     $68,901.23 ▲"), (20, "BTC-USD $68,901.23 ▲"), (19, "BTC-USD         … ▲"),
        (11, "BTC-USD … ▲"), (10, "BTC-USD  ▲"), (8, "…      ▲"), (3, "… ▲"), (2, "…"), (1, "…"),
    ])
    func `a price that does not fit is replaced as a whole`(columns: Int, line: String) {
        var sut = BoardSession()
        sut.beat("BTC-USD 68888.73")
        sut.beat("BTC-USD 68901.23")
        #expect(sut.lines(columns, 1) == [line])
    }

    @Test(arguments: [
        (26, "  BTC-USD     $68,901.23 !"), (25, "BTC-USD      $68,901.23 !"), (19, "BTC-USD         … !"),
        (9, "BTC-USD !"), (8, "…      !"), (3, "… !"), (2, "!"), (1, "!"),
    ])
    func `the mark of a stale price is the last thing to go`(columns: Int, line: String) {
        var sut = BoardSession()
        sut.beat("BTC-USD 68901.23")
        sut.beat("BTC-USD")
        #expect(sut.lines(columns, 1) == [line])
    }

    @Test func `nothing is wider or higher than the screen, and no price is cut`() {
        var sut = BoardSession()
        sut.beat("BTC-USD 123456789012.12", "AN-EXTREMELY-LONG-SYMBOL.NAME_32 0.000000012345", "C-USD")
        sut.beat("BTC-USD 123456789010.12", "AN-EXTREMELY-LONG-SYMBOL.NAME_32", "C-USD 1.00")
        let prices = ["$123,456,789,010.12", "$0.000000012345", "$1.00"]
        for columns in 1...130 {
            for rows in [1, 2, 3, 4, 5, 6, 8, 10, 24] {
                let lines = sut.lines(columns, rows)
                #expect(!lines.isEmpty && lines.count <= rows && lines.allSatisfy { $0.columns <= columns })
                for line in lines where line.contains("$") {
                    #expect(prices.contains { "\(line) ".contains("\($0) ") }, "\(line)")
                }
            }
        }
    }

    @Test func `a source with a long name is shortened`() {
        var sut = BoardSession()
        sut.beat("BTC-USD 1.00 source-with-a-name-of-many-letters")
        let line = sut.lines(66, 1).first ?? ""
        #expect(line.hasSuffix("0 s  source-w…") && line.columns == 66)
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
