import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The times at which a status bar prints its lines, on a simulated clock. The files in `EndToEndTests/Cases`
/// test the text of the lines.
@Suite(.unit) struct BarLinesTests {
    /// A status bar on a simulated clock. `play` performs steps such as answers and pauses. It returns the
    /// lines that become due. For each symbol, a line contains the symbol's letter and the number of the
    /// answered tick; the letter is lowercase if the symbol has no answer in the beat. A line that becomes
    /// due during a pause begins with `@` and the milliseconds since the pause began.
    private struct Bar {
        var sut = BarLines(.inUTC())
        var time = Deadline.Instant.now
        /// How far the wall clock was set back, in seconds.
        var offset = 0
        /// The interval between two beats, in milliseconds.
        var interval = 1000
        var lines: [String] = []

        /// The step `"A1"` is the answer to tick 1 of symbol A; `"+50"` waits 50 ms; `"<60"` sets the wall clock
        /// back by a minute; `"/200"` makes the interval between two beats 200 ms; `"."` is the end of the input.
        mutating func play(_ steps: String) -> [String] {
            lines = []
            for step in steps.split(separator: " ") {
                if step.first == "+" {
                    wait(Int(step.dropFirst())!)
                } else if step.first == "<" {
                    offset = Int(step.dropFirst())!
                } else if step.first == "/" {
                    interval = Int(step.dropFirst())!
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
                show(sut.due(at: time), "@\(milliseconds - (end - time).milliseconds) ")
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

    @Test(arguments: try! examples(inFile: "Frames/bar-rules"))
    func `beats are printed in order, each when it is complete or has timed out`(
        rule: String, steps: String, lines: [String]
    ) {
        var bar = Bar()
        #expect(bar.play(steps) == lines, "\(rule)")
    }

    @Test func `a status bar does not show candles`() {
        var sut = BarLines(.inUTC())
        let tick = Tick(number: 0, at: anyTime(), candle: .day)
        #expect(sut.record(Reading(answering: tick, anyQuote(), from: "binance"), at: .now) == [])
        #expect(sut.due(at: nil) == [])
    }

    @Test func `if ticks have neither numbers nor times, a symbol's second answer begins a new beat`() {
        var sut = BarLines(.inUTC())
        func record(_ symbol: String) -> Int {
            let reading = Reading(answering: Tick(symbol: Symbol(symbol)), anyQuote(), from: "binance")
            return sut.record(reading, at: .now).map(\.readings.count).reduce(0, +)
        }
        #expect(["A", "B", "A", "B", "B", "B"].map(record) == [0, 0, 2, 2, 0, 2])
    }
}
