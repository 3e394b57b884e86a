import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// How the board shows whether its prices are current: the indicator in the header, the ages, and the marks of stale
/// prices.
@Suite(.unit) struct LivenessTests {
    private func header(_ sut: BoardSession) -> String { sut.lines(80, 2).first ?? "" }

    private func expect(_ words: String, _ sut: BoardSession) {
        #expect(header(sut).hasPrefix(words), "\(header(sut))")
    }

    @Test(arguments: try! examples(inFile: "Frames/header-rules"))
    func `the header shows how current the prices are`(rule: String, steps: String, lines: [String]) {
        var sut = BoardSession()
        // There is one expected line for each step.
        let headers = steps.split(separator: " ").map { step in
            sut.play(step)
            return header(sut)
        }
        #expect(headers == lines, "\(rule)")
    }

    @Test func `a row is stale after more than two beat intervals without a reading`() {
        var sut = BoardSession()
        for _ in 0..<2 { sut.beat("A-USD 1.00", "B-USD 1.00") }
        sut.wait(2000)
        #expect(sut.lines(40, 1).first?.contains("!") == false)
        sut.wait(1)
        #expect(sut.lines(40, 1).first?.contains("!") == true)
    }

    @Test(.fault(62), arguments: [0, 90_000, -90_000, 3_600_000, -3_600_000, 129_600_000, -129_600_000])
    func `a board is live while readings arrive, even if the viewer's clock is 36 hours off`(wallAhead: Int) {
        var sut = BoardSession()
        sut.wallAhead = wallAhead
        for _ in 0..<3 { sut.beat("A-USD 1.00", "B-USD 1.00") }
        for (wait, words) in [
            (2000, "● live   2 of 2 current"), (1, "○ no answer for 2 s"), (60_000, "○ no answer for 1 min"),
        ] {
            sut.wait(wait)
            expect(words, sut)
        }
        #expect(sut.text(80, 5).contains(" 1 min  binance"))
        sut.beat("A-USD 1.00", "B-USD 1.00")
        expect("● live   2 of 2 current", sut)
    }

    @Test(arguments: [-3_600_000, 3_600_000])
    func `setting the viewer's clock changes neither the liveness nor the ages`(offset: Int) {
        var sut = BoardSession()
        for _ in 0..<2 { sut.beat("A-USD 1.00", "B-USD 1.00") }
        sut.wallAhead = offset
        sut.wait(1000)
        expect("● live   2 of 2 current", sut)
        #expect(sut.text(80, 5).contains(" 1 s  binance"))
    }

    @Test(arguments: [-3_600_000, 3_600_000])
    func `a jump in the times of the beats does not affect the age of a stale price`(offset: Int) {
        var sut = BoardSession()
        for _ in 0..<3 { sut.beat("A-USD 1.00") }
        for beat in 1...5 {
            sut.wait(1000)
            var reading = Reading(
                answering: Tick(
                    number: 2 + beat, at: sut.now + .milliseconds(offset), symbol: Symbol("A-USD")),
                [anyFailure()])
            let last = sut.board.rows[0].reading
            (reading.quote, reading.source, reading.error) = (last.quote, last.source, true)
            sut.board.record(reading, at: sut.moment)
        }
        expect("○ no answer for 5 s", sut)
    }

    @Test func `a recording is not live, because its beats arrive faster than their times imply`() {
        var sut = BoardSession()
        for number in 0..<4 {
            let at = BoardSession.start + .seconds(number)
            sut.board.record(
                Reading(answering: Tick(number: number, at: at), anyQuote("1.00", at: at), from: "binance"),
                at: sut.moment)
        }
        expect("○ not live   every 1 s", sut)
        sut.wait(60_000)
        expect("○ not live", sut)
        #expect(sut.text(80, 5).contains(" 0 s  binance") && header(sut).hasSuffix("14:03:10"))
    }

    @Test func `slow first answers and a backlog are not taken for a recording`() {
        var pace = Pace()
        let start = Deadline.Instant.now
        func arrive(_ second: Int, _ milliseconds: Int) -> Bool {
            pace.beginBeat(due: anyTime(second * 1000), at: start + .milliseconds(milliseconds))
            return pace.isLive
        }
        #expect(arrive(0, 2010) && arrive(1, 2010) && arrive(2, 2010))
        #expect((3..<30).allSatisfy { arrive($0, 30_000 + $0) } && arrive(31, 31_010))
        // If the clock that sets the beats is set forward, the beats are taken for a recording until two consecutive
        // beats arrive at least half as far apart as they were due.
        #expect(!arrive(3631, 32_010) && !arrive(3632, 32_509) && arrive(3633, 33_009))
        // In total, beats may arrive up to 2 seconds ahead of their due times, but not a millisecond more.
        #expect(arrive(3636, 34_009) && !arrive(3637, 35_008))
    }

    @Test(arguments: [(80, "● made up "), (12, "● made up"), (8, "made up"), (7, "made up"), (6, "●")])
    func `made-up prices are labeled if the label fits`(columns: Int, line: String) {
        var sut = BoardSession()
        sut.beat("NVDA 1.00 echo")
        #expect(sut.lines(columns, 2).first?.hasPrefix(line) == true, "\(sut.lines(columns, 2))")
        sut.beat("NVDA 1.00 binance")
        #expect(sut.lines(columns, 2).first?.contains("made up") == false)
    }

    @Test func `on a stopped board, only the header changes, and it shows when the board was stopped`() {
        // Given
        var sut = BoardSession()
        sut.beat("A-USD 1.00", "B-USD 2.00")
        sut.close("A-USD 0.90")
        sut.beat("A-USD 1.10", "B-USD")
        sut.wait(1000)
        let shown = sut.lines(100, 24).dropFirst()
        // When
        sut.board.toggleClock(at: sut.moment)
        for seconds in [0, 1, 59, 3600] {
            sut.wait(seconds * 1000)
            // Then
            expect("‖ stopped 14:03:09   1 of 2 current   every 1 s   by price", sut)
            #expect(sut.lines(100, 24).dropFirst() == shown)
        }
        #expect(header(sut).hasSuffix("15:04:09") && sut.lines(12, 2).first == "‖ stopped")
    }

    @Test func `a price stops flashing after one second, even on a stopped board`() {
        var sut = BoardSession(usesColor: true)
        sut.beat("A-USD 1.00")
        sut.beat("A-USD 2.00")
        sut.board.toggleClock(at: sut.moment)
        #expect(sut.text(80, 24).contains("\u{1B}[32m$2.00"))
        sut.wait(1000)
        #expect(!sut.text(80, 24).contains("\u{1B}[32m$2.00"))
    }

    @Test func `the indicator is green if all prices are current, yellow if some are, and red if none are`() {
        var sut = BoardSession(usesColor: true)
        sut.beat("A-USD 1.00", "B-USD")
        expect("\u{1B}[33m◐ 1 of 2 current\u{1B}[0m", sut)
        sut.beat("A-USD 1.00", "B-USD 1.00")
        expect("\u{1B}[32m● live\u{1B}[0m", sut)
        sut.wait(60_000)
        expect("\u{1B}[31m○ no answer for 1 min\u{1B}[0m", sut)
    }

    @Test(arguments: [
        (16, "◐ 1 of 2 current"), (14, "1 of 2 current"), (13, "◐    14:03:07"), (1, "◐"),
    ])
    func `on a narrow board, the header is shortened until only the indicator's circle is left`(
        columns: Int, line: String
    ) {
        var sut = BoardSession()
        sut.beat("A-USD 1.00", "B-USD")
        #expect(sut.lines(columns, 2).first == line)
    }

    @Test(arguments: [(949, "949 ms"), (950, "1 s"), (1500, "2 s"), (90_499, "90 s"), (60_000, "1 min")])
    func `the header shows the interval between beats and ignores a pause`(milliseconds: Int, text: String) {
        var sut = BoardSession()
        for _ in 0..<3 { sut.beat("A-USD 1.00", after: milliseconds) }
        #expect(header(sut).contains("   every \(text)   "))
        sut.beat("A-USD 1.00", after: 10 * milliseconds)
        #expect(header(sut).contains("   every \(text)   "))
    }
}
