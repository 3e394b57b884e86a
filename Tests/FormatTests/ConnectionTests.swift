import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The connection sign, in colors and in words.
@Suite(.unit) struct ConnectionTests {
    private func header(_ sut: BoardSession) -> String { sut.lines(80, 2).first ?? "" }

    private func expect(_ words: String, _ sut: BoardSession) {
        #expect(header(sut).hasPrefix(words), "\(header(sut))")
    }

    @Test func `live: every symbol had a new quote within two beats`() {
        var sut = BoardSession()
        sut.beat("A-USD 1.00", "B-USD 1.00")
        expect("● live   2 of 2 fresh   by price", sut)
        sut.beat("A-USD 1.00", "B-USD")
        expect("● live   1 of 2 fresh   every 1 s   by price", sut)
        sut.beat("A-USD 1.00", "B-USD")
        expect("◐ 1 of 2 fresh   every 1 s   by price", sut)
        sut.beat("A-USD", "B-USD")
        expect("◐ 1 of 2 fresh   every 1 s", sut)
        sut.beat("A-USD", "B-USD")
        expect("○ no answer for 2 s", sut)
        sut.wait(39_000)
        expect("○ no answer for 41 s", sut)
        sut.beat("A-USD 1.00", "B-USD 1.00")
        expect("● live", sut)
    }

    @Test func `without any quote there is no answer yet`() {
        var sut = BoardSession()
        sut.beat("A-USD")
        expect("○ no answer yet", sut)
    }

    @Test func `readings that no longer arrive are not live, and all rows are stale after two beats`() {
        var sut = BoardSession()
        for _ in 0..<2 { sut.beat("A-USD 1.00", "B-USD 1.00") }
        sut.wait(2000)
        expect("● live   2 of 2 fresh", sut)
        sut.wait(1)
        expect("○ no answer for 2 s", sut)
        #expect(sut.lines(40, 1).first?.contains("!") == true)
    }

    @Test func `prices from before the wall clock was set back are not fresh until the next beat`() {
        var sut = BoardSession()
        for _ in 0..<2 { sut.beat("A-USD 1.00", "B-USD 1.00") }
        sut.wait(-3_600_000)
        expect("○ no answer", sut)
        #expect(sut.lines(40, 1).first?.contains("!") == true)
        sut.beat("A-USD 1.00", "B-USD 1.00")
        expect("● live   2 of 2 fresh", sut)
    }

    @Test func `a stopped clock is neither live nor silent`() {
        var sut = BoardSession()
        sut.beat("A-USD 1.00")
        sut.board.isStopped = true
        expect("‖ stopped   1 of 1 fresh", sut)
        sut.wait(60_000)
        expect("‖ stopped   0 of 1 fresh", sut)
    }

    @Test func `the sign has a color as well`() {
        var sut = BoardSession(usesColor: true)
        sut.beat("A-USD 1.00", "B-USD")
        expect("\u{1B}[33m◐ 1 of 2 fresh\u{1B}[0m", sut)
        sut.beat("A-USD 1.00", "B-USD 1.00")
        expect("\u{1B}[32m● live\u{1B}[0m", sut)
        sut.wait(60_000)
        expect("\u{1B}[31m○ no answer for 1 min\u{1B}[0m", sut)
    }

    @Test(arguments: [
        (14, "◐ 1 of 2 fresh"), (13, "1 of 2 fresh"), (12, "1 of 2 fresh"), (11, "◐  14:03:07"), (1, "◐"),
    ])
    func `in few columns the sign is left`(columns: Int, line: String) {
        var sut = BoardSession()
        sut.beat("A-USD 1.00", "B-USD")
        #expect(sut.lines(columns, 2).first == line)
    }

    @Test(arguments: [(200, "200 ms"), (1000, "1 s"), (2001, "2 s"), (90_000, "90 s"), (60_000, "1 min")])
    func `the interval is that of the beats`(milliseconds: Int, text: String) {
        var sut = BoardSession()
        for _ in 0..<3 { sut.beat("A-USD 1.00", after: milliseconds) }
        #expect(header(sut).contains("   every \(text)   "))
        sut.beat("A-USD 1.00", after: 10 * milliseconds)
        #expect(header(sut).contains("   every \(text)   "))
    }
}
