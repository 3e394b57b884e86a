import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The price of each symbol is checked against another source, early and regularly, with few requests.
@Suite(.unit) struct SecondOpinionTests {
    /// A simulated run in which all sources quote 100, except for a wrong primary and for the fallbacks in `dead` and
    /// `lacking`.
    struct Run {
        var symbols = 1
        /// The maximum number of ticks that are read together.
        var together = 1000
        var beats = 120
        var interval = 1000
        /// The primary's wrong price; nil if the primary is never wrong.
        var wrong: String? = "40"
        /// The beat in which the primary first quotes the wrong price.
        var wrongFrom = 0
        var hedge: Int?
        var budget = 1000
        var trip = 3
        /// Fallbacks that fail.
        var dead: Set<Int> = []
        /// Fallbacks that do not offer the symbols.
        var lacking: Set<Int> = []

        func state(of source: Int) -> Character {
            dead.contains(source) ? "x" : lacking.contains(source) ? "u" : "a"
        }
    }

    private static let many = FullSize.count(short: 24, full: 100)

    private struct Result {
        /// The number of readings whose wrong price was not marked as disputed, and the beat of the last of
        /// these readings. The beat is -1 if there are none.
        var unmarked = 0
        var lastUnmarked = -1
        /// For each fallback, the times at which it was queried for each symbol, in milliseconds.
        var asked: [Int: [String: [Int]]] = [:]
    }

    private func play(_ run: Run) -> Result {
        var sut = Simulation(3, budget: run.budget, hedge: run.hedge, trip: run.trip, agree: .usual)
        var result = Result()
        for beat in 0..<run.beats {
            let ticks = (0..<run.symbols).map { anyTick(beat, symbol: "S\($0)-USD") }
            let wrong = beat >= run.wrongFrom ? run.wrong : nil
            for (place, first) in stride(from: 0, to: run.symbols, by: run.together).enumerated() {
                let events = ticks.dropFirst(first).prefix(run.together).map { FallbackPolicy.Event.tick($0) }
                let (asked, readings) = sut.exchange(events, at: beat * run.interval + place * 60) {
                    if $0 == 0, let wrong { return .reading(quoted("0", $1, wrong), from: 0) }
                    return Simulation.answer(of: $0, run.state(of: $0), to: $1)
                }
                for reading in readings where wrong != nil && reading.quote?.price.text == wrong {
                    if reading.isDisputed { continue }
                    (result.unmarked, result.lastUnmarked) = (result.unmarked + 1, beat)
                }
                for (time, source, tick) in asked where source > 0 {
                    result.asked[source, default: [:]][tick.pricedSymbol.text, default: []].append(time)
                }
            }
        }
        return result
    }

    @Test(
        .fault(63),
        arguments: [
            (Run(symbols: 1), 5), (Run(symbols: 1, wrong: "89"), 5), (Run(symbols: 1, wrong: "100000000"), 5),
            (Run(symbols: 3), 15), (Run(symbols: 16, beats: 100), 160), (Run(hedge: 300), 5),
            (Run(symbols: 100, beats: 70), 6000), (Run(beats: 110, budget: 2000), 10),
            (Run(hedge: 0), 5), (Run(trip: 0), 5), (Run(symbols: 16, dead: [1]), 190),
            (Run(symbols: 16, lacking: [2]), 190), (Run(interval: 10_000), 5),
            (Run(symbols: 16, together: 4, beats: 100), 160),
        ] as [(Run, Int)])
    func `a primary that is wrong from the start is soon detected for every symbol`(run: Run, most: Int) {
        let result = play(run)
        #expect(result.unmarked <= most && result.lastUnmarked <= (run.symbols > 16 ? 60 : 12))
    }

    @Test(.fault(63), arguments: [1, 3, 16, many])
    func `a primary that becomes wrong later is detected immediately`(symbols: Int) {
        #expect(play(Run(symbols: symbols, beats: 150, wrongFrom: 130)).unmarked == 0)
    }

    @Test(.fault(63), arguments: [1, 16, many], [[], [1], [1, 2]] as [Set<Int>])
    func `while no prices disagree, every symbol is checked, but at most once a minute with each fallback`(
        symbols: Int, dead: Set<Int>
    ) {
        let result = play(Run(symbols: symbols, together: 10, beats: 200, wrong: nil, dead: dead))
        let times = result.asked.values.flatMap(\.values)
        #expect(times.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $1 - $0 >= 60_000 } })
        // The queries are spread over the beats: no beat contains more than five.
        #expect(Dictionary(grouping: times.joined()) { $0 / 1000 }.values.allSatisfy { $0.count <= 5 })
        #expect(Set(result.asked.values.flatMap(\.keys)).count == symbols)
    }

    @Test(.fault(63))
    func `after the first minute, a fallback that offers no symbol is queried at most once a minute`() {
        let result = play(Run(symbols: 16, beats: 300, wrong: nil, lacking: [1, 2]))
        // After the first minute, the fallbacks are queried only to keep their connections open.
        let times = [1, 2].flatMap { result.asked[$0]!.values.joined() }
        #expect(times.count { $0 > 60_000 } <= 2 * 4)
    }

    @Test func `a fallback that failed is queried again after a minute, but not during its cooldown`() {
        Simulation(3, timeout: 700, agree: .usual).expect(
            "0 tick → ask 0/700", "10 0a → 0a", "1000 tick → ask 0/700, ask 1/1000", "1010 0a & 1x → 0a",
            "2000 tick → ask 0/700, ask 2/1000", "2010 0a & 2x → 0a", "61000 tick → ask 0/700, ask 1/1000",
            "61010 0a & 1l → 0a", "122000 tick → ask 0/700, ask 2/1000")
    }
}
