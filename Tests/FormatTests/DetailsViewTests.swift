import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The view of one symbol's details.
@Suite(.unit) struct DetailsViewTests {
    private func makeSUT(glyphs: Glyphs = .unicode) -> BoardSession {
        var sut = BoardSession(glyphs: glyphs)
        sut.board.names = SymbolNames("ETH-USD\tEther\tThe coin of a network on which programs run.")
        sut.beat("ETH-USD 3512.49", "BTC-USD 68901.23")
        sut.beat("ETH-USD 3512.08", "BTC-USD 68901.23")
        sut.beat("ETH-USD", "BTC-USD 68901.23")
        sut.beat("ETH-USD 3512.08", "BTC-USD 68901.23")
        sut.type("/eth\r\r")
        return sut
    }

    @Test func `on an 80-by-24 screen, all parts of the details are shown, with large digits`() throws {
        try expect(makeSUT().text(80, 24), inFile: "Frames/details-80x24")
    }

    @Test func `on a 40-by-10 screen, the price is shown as plain text instead of large digits`() throws {
        var sut = makeSUT()
        sut.board.names = SymbolNames()
        try expect(sut.text(40, 10), inFile: "Frames/details-40x10")
    }

    @Test func `a 120-by-40 screen shows all readings, and a 140-by-40 screen also shows larger digits`() {
        let text = makeSUT().text(120, 40)
        #expect(text.contains("\nEther\n") && text.contains("\n14:03:07  $3,512.49  binance\n"))
        #expect(makeSUT().text(140, 40).contains("\n████████████████"), "with larger digits where they fit")
    }

    @Test func `without UTF-8, the details contain only ASCII characters`() {
        for (columns, rows) in [(80, 24), (40, 10), (120, 40), (10, 5)] {
            var sut = makeSUT(glyphs: .ascii)
            sut.board.names = SymbolNames("ETH-USD\tÄther\t– für Verträge…")
            sut.beat("ETH-USD 3512.08 bourse-à-côté", "BTC-USD 68901.23")
            #expect(sut.text(columns, rows).allSatisfy { $0.isASCII })
        }
    }

    @Test func `a banner marks a stale price, and the failed tick is listed with the reason`() {
        var sut = makeSUT()
        sut.beat("ETH-USD", "BTC-USD 68901.23")
        let text = sut.text(90, 24)
        #expect(
            text.contains(
                "\nFailed to update value. Displaying last updated value from Nov 21, 14:03:10 (1 s ago)\n"))
        #expect(text.contains("\n14:03:11          -  binance: any message\n"))
    }

    @Test func `consecutive equal readings share a line that shows how long they lasted`() {
        var sut = BoardSession()
        for _ in 0..<41 { sut.beat("ETH-USD 3512.08") }
        for _ in 0..<3 { sut.beat("ETH-USD") }
        sut.beat("ETH-USD 3512.08")
        sut.type("\r")
        #expect(
            sut.text(80, 40).hasSuffix(
                """

                14:03:51  $3,512.08  binance
                14:03:48          -  binance: any message  for 2 s
                14:03:07  $3,512.08  binance  for 40 s
                esc back  ↑↓ next symbol  ? keys  q quit
                """))
    }

    @Test(arguments: [1000, 2000, 4000])
    func `at any beat interval, the sparkline has one cell per beat, and a missing price leaves a gap`(
        interval: Int
    ) {
        var sut = BoardSession()
        for price in ["ETH-USD 1.00", "ETH-USD 2.00", "ETH-USD 3.00", "ETH-USD", "ETH-USD 5.00"] {
            sut.beat(price, after: interval)
        }
        sut.type("\r")
        #expect(sut.text(80, 24).contains("\n▁▂▄·█\n"))
    }

    @Test func `a reading from a fallback is shown with the failure of the primary`() {
        var sut = makeSUT()
        let tick = Tick(number: 9, at: sut.now, symbol: Symbol("ETH-USD"))
        sut.board.record(
            Reading(
                answering: tick, anyQuote("1.00", at: sut.now), from: "coinbase",
                after: [Failure(source: "binance", kind: .timeout, message: "no answer within 800 ms")]),
            at: sut.now)
        #expect(sut.text(80, 24).contains("  coinbase  after binance: no answer within 800 ms\n"))
        #expect(sut.text(50, 24).contains("\n14:03:10      $1.00  coinbase  after binance: no …\n"))
    }

    @Test func `the price flashes in the details as it does in the list`() {
        var sut = BoardSession(usesColor: true)
        sut.beat("ETH-USD 1.00")
        sut.beat("ETH-USD 2.00")
        sut.type("\r")
        #expect(sut.lines(80, 6).contains { $0.contains("\u{1B}[32m$2.00") })
        sut.wait(1000)
        #expect(sut.lines(80, 6).contains { $0.contains("\u{1B}[1m$2.00") })
    }

    /// Records the quarter-hour candles of the last 24 hours, as if the view had requested them from the clock.
    private func chart(_ sut: inout BoardSession) {
        for index in 0..<96 {
            let at = Candle.quarterHour.beginning(of: sut.now) + .seconds(-900 * index)
            let tick = Tick(number: 1, at: at, symbol: Symbol("BTC-USD"), candle: .quarterHour)
            let quote = anyQuote("\(68_900 + index * 7 % 100).00", at: min(at + .seconds(900), sut.now))
            sut.board.record(Reading(answering: tick, quote, from: "binance"), at: sut.moment)
        }
    }

    private func withClock() -> BoardSession {
        var sut = BoardSession(hasClock: true)
        sut.board.names = SymbolNames("BTC-USD\tBitcoin\tThe first one.")
        sut.beat("BTC-USD 68888.73")
        sut.beat("BTC-USD 68901.23")
        sut.type("\r")
        return sut
    }

    @Test func `the price is followed by the chart, the name and the readings`() throws {
        var sut = withClock()
        chart(&sut)
        try expect(sut.text(80, 30), inFile: "Frames/details-with-chart-80x30")
    }

    @Test func `each part of the details is shown if there is enough room for it`() throws {
        var sut = makeSUT()
        try expect(forms(of: 1...150) { sut.text($0, 12) }, inFile: "Frames/details-by-width")
        sut.beat("ETH-USD", "BTC-USD 68901.23")
        try expect(forms(of: 1...30) { sut.text(50, $0) }, inFile: "Frames/stale-details-by-height")
    }

    @Test func `with a chart, each part of the details is shown if there is enough room for it`() throws {
        var sut = withClock()
        chart(&sut)
        try expect(forms(of: 1...44) { sut.text(40, $0) }, inFile: "Frames/details-with-chart-by-height")
        try expect(forms(of: 1...200) { sut.text($0, 14) }, inFile: "Frames/details-with-chart-by-width")
    }

    /// The parts of a frame, as numbers: first the number of rows of the plot, and then, for each other part, 1 if the
    /// part is shown and 0 if it is not.
    private func shown(_ lines: [String]) -> [Int] {
        let marks = [
            "BTC-USD", "$68,901.23", "14:03:08", "24h", "Bitcoin", "The first one.", "4 of 4",
            "  binance", "█ ",
        ]
        let place = { (mark: String) in lines.firstIndex { $0.contains(mark) } ?? 0 }
        return [place("─┬─") - place("24h") - 1]
            + marks.map { mark in
                // A price in large digits counts as shown, and so do readings if the compared prices take their place.
                let other = mark.hasPrefix("$") ? "█ " : mark == "  binance" ? "4 of 4" : mark
                return lines.contains { $0.contains(mark) || $0.contains(other) } ? 1 : 0
            }
    }

    @Test(.fault(69), arguments: [false, true])
    func `only a failure's text may be cut, and a larger window never shows less`(isStale: Bool) {
        var sut = withClock()
        chart(&sut)
        var reading = sut.board.rows[0].reading
        reading.prices = (1...4).map { SourcePrice(source: "source\($0)", price: reading.quote!.price) }
        sut.board.record(reading, at: sut.moment)
        if isStale { sut.beat("BTC-USD") }
        var narrower: [Int: [Int]] = [:]
        for columns in stride(from: 20, through: 250, by: FullSize.step) {
            var smaller: [Int]?
            let isWhole = FullSize.isWanted || columns.isMultiple(of: 120)
            for rows in 12...60 where isWhole || rows.isMultiple(of: 40) || columns + rows < 40 {
                let (lines, size) = (sut.lines(columns, rows), "\(columns) x \(rows)")
                #expect(lines.count <= rows && lines.allSatisfy { $0.columns <= columns }, "\(size)")
                // Only the text of a failure may be cut, because the source determines its length.
                #expect(
                    !lines.contains { $0.contains("…") && !$0.contains("  -  ") },
                    "\(size): \(lines.filter { $0.contains("…") })")
                let shown = shown(lines)
                for before in [smaller, narrower[rows]].compactMap({ $0 }) {
                    #expect(zip(before, shown).allSatisfy { $0 <= $1 }, "\(size): \(before), \(shown)")
                }
                #expect(shown[0] >= 2 && shown[2] == 1, "\(size)")
                (smaller, narrower[rows]) = (shown, shown)
            }
        }
    }

    @Test func `missing candles of a chart are requested again after ten seconds and then once per minute`() {
        var sut = withClock()
        func requests(at time: String) -> [String] {
            let time = Timestamp("2026-11-21T\(time).000Z")!
            sut.wait(time.milliseconds - sut.now.milliseconds - 1000)
            sut.beat("BTC-USD 68901.23")
            return sut.board.takeRequests(at: sut.moment).filter { !$0.contains("1d") }
        }
        let all = ["candles 15m 96 BTC-USD"]
        let latest = ["candles 15m 2 BTC-USD"]
        #expect(requests(at: "14:03:10") == all && requests(at: "14:03:19") == [])
        // No candle has arrived yet.
        #expect(requests(at: "14:03:20") == all && requests(at: "14:04:19") == [])
        #expect(requests(at: "14:04:20") == all)
        chart(&sut)
        #expect(requests(at: "14:06:00") == [])
        // Exchanges need a moment to finish a candle, so it is requested one minute after its end.
        #expect(requests(at: "14:15:59") == [] && requests(at: "14:16:00") == latest)
        #expect(requests(at: "14:16:59") == [] && requests(at: "14:17:00") == latest)
        chart(&sut)
        #expect(requests(at: "14:18:00") == [])
    }

    @Test func `left and right change the range of the chart, and each range is requested once`() {
        var sut = withClock()
        let (right, left) = ("\u{1B}[C", "\u{1B}[D")
        let requests = ["c", right, right, right, right, left + left + left + left, left, right].map { keys in
            sut.type(keys)
            return sut.board.takeRequests(at: sut.moment).first ?? ""
        }
        #expect(
            requests == [
                "candles 15m 96 BTC-USD", "candles 1h 168 BTC-USD", "candles 1d 31 BTC-USD",
                "candles 1d 365 BTC-USD", "", "candles 1m 60 BTC-USD", "", "",
            ] && sut.text(80, 24).contains("  c candles  "))
    }

    @Test func `no candles are requested for a recording or while the clock is stopped`() {
        var sut = withClock()
        sut.board.toggleClock(at: sut.moment)
        #expect(sut.board.takeRequests(at: sut.moment) == [])
        sut.board.toggleClock(at: sut.moment)
        sut.board.isRecording = true
        #expect(sut.board.takeRequests(at: sut.moment) == [])
    }
}
