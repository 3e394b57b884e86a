import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// A seeded random simulation: one of three sources is wrong now and then, and any of them may fail or be late.
@Suite(.unit) struct DisputeFaultTests {
    private static let lies = [1.01, 1.11, 1.6, 0.4, 0.000_001, 1_000_000]

    @Test(.fault(56), arguments: 0..<3)
    func `a wrong price of one of three sources is never used without being marked as disputed`(liar: Int) {
        var random = SeededRandom(Seed.value &+ UInt64(liar))
        var sut = Simulation(3, agree: .usual)
        var truth = 68_901.23
        for source in 0..<3 {
            _ = sut.read(quoted("\(source)", anyTick(), "68901.23"), from: source, at: 0)
        }
        var (wrong, disputed, outvoted) = (0, 0, 0)
        let seconds = FullSize.count(short: 1500, full: 300_000)
        // The last source is seldom asked, so its lies are seldom found out.
        for second in 1...10 * seconds where second <= seconds || outvoted == 0 {
            truth *= Double.random(in: 0.9999...1.0001, using: &random)
            let reading = play(second, &sut) { source in
                if Int.random(in: 0..<50, using: &random) == 0 { return nil }
                let isLie = source == liar && Int.random(in: 0..<5, using: &random) == 0
                let factor = isLie ? Self.lies.randomElement(using: &random)! : 1
                return truth * factor * Double.random(in: 0.999...1.001, using: &random)
            } delay: {
                Int.random(in: 1...1100, using: &random) < 1000
                    ? Int.random(in: 1...150, using: &random) : 900
            }
            guard let reading, let quote = reading.quote else { continue }
            if reading.isDisputed { disputed += 1 }
            if reading.failures.contains(where: { $0.kind == .disputed && $0.source == "\(liar)" }) {
                outvoted += 1
            }
            let part = Double(quote.price.text)! / truth
            if part > 1.102 || part < 1 / 1.102 {
                wrong += 1
                #expect(reading.isDisputed, "second \(second): \(reading.text), \(truth), \(Seed.text)")
            }
        }
        #expect(outvoted > 0, "\(Seed.text)")
        if FullSize.isWanted {
            print("liar \(liar): \(wrong) wrong, \(disputed) disputed, \(outvoted) found out")
        }
    }

    /// Plays one second.
    ///
    /// - Parameters:
    ///   - price: the price that a source quotes; nil if it fails.
    ///   - delay: how long an answer takes, in milliseconds.
    private func play(
        _ second: Int, _ sut: inout Simulation, price: (Int) -> Double?, delay: () -> Int
    ) -> Reading? {
        let (tick, start) = (anyTick(second), second * 1000)
        var shown: Reading?
        var events: [(time: Int, event: FallbackPolicy.Event)] = [(start, .tick(tick))]
        while true {
            events.sort { $0.time < $1.time }
            let deadline = sut.nextDeadline.flatMap { $0 <= start + 1000 ? $0 : nil }
            let actions: [FallbackPolicy.Action]
            var now = deadline ?? .max
            if let next = events.first, next.time <= now {
                now = next.time
                actions = sut.handle(events.removeFirst().event, at: now)
            } else if deadline != nil {
                actions = sut.advance(to: now)
            } else {
                return shown
            }
            for action in actions {
                switch action {
                case .answer(let reading): shown = reading
                case .restart: break
                case .ask(let source, _):
                    let answer =
                        price(source).map { price -> Reading in
                            let cents = Int64(price * 1_000_000)
                            let decimals = String(1_000_000 + cents % 1_000_000).dropFirst()
                            return quoted("\(source)", tick, "\(cents / 1_000_000).\(decimals)")
                        } ?? failed("\(source)", tick)
                    events.append((min(now + delay(), start + 999), .reading(answer, from: source)))
                }
            }
        }
    }
}
