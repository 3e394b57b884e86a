import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// When the lines of a status bar are due, by a virtual clock. Their texts are in `Cases` of the end-to-end tests.
@Suite(.unit) struct BarLinesTests {
    /// Answers, waits and changes of the wall clock go in; the lines that are due come out, as the letters of their
    /// symbols with the numbers of their ticks. The letter of a symbol that has not answered the beat is lowercase.
    private struct Bar {
        var sut = BarLines(.inUTC())
        var time = Deadline.Instant.now
        /// How far the wall clock was set back, in seconds.
        var offset = 0
        /// The interval between two beats in milliseconds.
        var interval = 1000
        var lines: [String] = []

        /// A symbol and the number of its tick: `"A1"`; `"+50"` waits 50 ms; `"<60"` sets the wall clock back by a
        /// minute; `"."` is the end of the input.
        mutating func play(_ steps: String) -> [String] {
            lines = []
            for step in steps.split(separator: " ") {
                if step.first == "+" {
                    wait(Int(step.dropFirst())!)
                } else if step.first == "<" {
                    offset = Int(step.dropFirst())!
                } else if step == "." {
                    show(sut.due(at: nil))
                } else {
                    let number = Int(step.dropFirst())!
                    let tick = Tick(
                        number: number, at: anyTime(number * interval - offset * 1000),
                        symbol: Symbol("\(step.prefix(1))-USD"))
                    show(sut.record(Reading(answering: tick, [anyFailure()]), at: time))
                }
            }
            return lines
        }

        private mutating func wait(_ milliseconds: Int) {
            let end = time + .milliseconds(milliseconds)
            while let deadline = sut.deadline, deadline.hasPassed(at: end) {
                time = max(time, deadline.instant)
                let waited = (end - time).milliseconds
                show(sut.due(at: time), "@\(milliseconds - waited) ")
            }
            time = end
        }

        private mutating func show(_ due: [BarLines.Line], _ prefix: String = "") {
            lines += due.map { line in
                let answers = line.readings.map { reading in
                    let letter = "\(reading.pricedSymbol.text.prefix(1))"
                    return "\(reading.error == true ? letter.lowercased() : letter)\(reading.tick ?? -1)"
                }
                return prefix + answers.joined()
            }
        }
    }

    private func expect(_ steps: String, _ lines: String..., interval: Int = 1000) {
        var bar = Bar(interval: interval)
        #expect(bar.play(steps) == lines, "\(steps)")
    }

    @Test func `each beat gets its line after the wall clock was set back, and in another recording`() {
        for seconds in [2, 3600] {
            expect("A0 A1 <\(seconds) A2 A3", "A0", "A1", "A2", "A3")
            expect("A0 B0 A1 B1 <\(seconds) A2 B2 A3 B3", "A0B0", "A1B1", "A2B2", "A3B3")
        }
        expect("A8 B8 A9 B9 <3600 A0 B0 A1 B1", "A8B8", "A9B9", "A0B0", "A1B1")
    }

    @Test func `a single symbol is held back once for 100 ms and never again`() {
        expect("A0 +99")
        expect("A0 +100", "@100 A0")
        expect("A0 +1000 A1 A2", "@100 A0", "A1", "A2")
        expect("A0 A1 A2", "A0", "A1", "A2")
    }

    @Test func `the first beat is due when nothing arrives for 100 ms`() {
        expect("A0 +99 B0 +99 C0 +100", "@100 A0B0C0")
    }

    @Test func `later beats are due as soon as all symbols have answered them or a later beat`() {
        expect("A0 B0 +1000 A1 B1 A2 B2", "@100 A0B0", "A1B1", "A2B2")
        expect("A0 B0 +100 A1 +200 A2 +300 B1 B2", "@100 A0B0", "A1B1", "A2B2", interval: 200)
    }

    @Test func `symbols are listed in the order in which they appeared`() {
        expect("A0 B0 +100 B1 A1", "@100 A0B0", "A1B1")
    }

    @Test func `a beat waits one second, or one interval, for a symbol that does not answer`() {
        expect("A0 B0 +100 A1 +999", "@100 A0B0")
        expect("A0 B0 +100 A1 +1000", "@100 A0B0", "@1000 A1b0")
        expect("A0 B0 +100 A1 +900 A2 A3", "@100 A0B0", "A1b0", "A2b0")
    }

    @Test
    func `a beat waits one interval for a late symbol, but at most ten seconds`() {
        expect("A0 B0 +5000 A1 +3000 B1", "@100 A0B0", "A1B1", interval: 5000)
        expect("A0 B0 A1 B1 A2 +4999 B2", "A0B0", "A1B1", "A2B2", interval: 5000)
        expect("A0 B0 A1 B1 A2 +5000 B2", "A0B0", "A1B1", "@5000 A2b1", interval: 5000)
        expect("A0 B0 A1 B1 A2 +10000 B2", "A0B0", "A1B1", "@10000 A2b1", interval: 60_000)
    }

    @Test func `each line shows every symbol, even if it is never in time, until it is no longer requested`()
    {
        expect("A0 B0 A1 A2 A3 B1 A4 A5 B2 A6", "A0B0", "A1b0", "A2b0", "A3b1", "A4b1", "A5b2")
        expect("A0 B0 A1 A2 A3 A4 A5", "A0B0", "A1b0", "A2b0", "A3", "A4", "A5")
    }

    @Test func `overlapping beats are printed in order, each with its own readings`() {
        expect("A0 B0 A1 A2 A3 B1 B2 A4 B3 B4", "A0B0", "A1B1", "A2B2", "A3B3", "A4B4", interval: 200)
    }

    @Test func `the waiting time of one second starts with the first answer`() {
        expect("A0 B0 C0 +100 A1 +900 B1 +100", "@100 A0B0C0", "@100 A1B1c0")
    }

    @Test func `a late answer appears in the next line, unless there is a newer answer`() {
        expect("A0 +100 B0 A1 B1", "@100 A0", "A1B1")
        expect("A0 +100 B0 A1 A2", "@100 A0", "A1b0")
        expect("A0 B0 +100 A1 A2 B1 A3 B2 A4 .", "@100 A0B0", "A1b0", "A2b1", "A3b2", "A4b2")
    }

    @Test func `at the end of the input all remaining lines are due`() {
        expect("A0 .", "A0")
        expect("A0 B0 +100 A1 .", "@100 A0B0", "A1b0")
        expect(".")
    }

    @Test func `at the end, a late answer is shown only if its symbol was never shown`() {
        expect("A0 +100 B0 .", "@100 A0", "A0B0")
        expect("A0 B0 +100 A1 +1000 B1 .", "@100 A0B0", "@1000 A1b0")
    }

    @Test func `a second answer of the same symbol begins a new beat`() {
        expect("A0 A0 A0 .", "A0", "A0", "A0")
    }

    @Test func `candles are not shown`() {
        var sut = BarLines(.inUTC())
        let tick = Tick(number: 0, at: anyTime(), candle: .day)
        #expect(sut.record(Reading(answering: tick, anyQuote(), from: "binance"), at: .now) == [])
        #expect(sut.due(at: nil) == [])
    }

    @Test func `without numbers and times, a beat ends when a symbol answers again`() {
        var sut = BarLines(.inUTC())
        func record(_ symbol: String) -> Int {
            let reading = Reading(answering: Tick(symbol: Symbol(symbol)), anyQuote(), from: "binance")
            return sut.record(reading, at: .now).map(\.readings.count).reduce(0, +)
        }
        #expect(["A", "B", "A", "B", "B"].map(record) == [0, 0, 2, 2, 0])
    }
}
