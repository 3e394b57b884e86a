import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The median of the quotes that agree.
@Suite(.unit) struct MedianTests {
    /// The median of quotes that are written as in `opinions`.
    ///
    /// - Parameter count: the number of different names among all sources; nil means the number of quotes.
    private func result(_ quotes: String, among count: Int? = nil) -> Median.Result {
        let opinions = opinions(quotes)
        return Median(tolerance: .usual).result(of: opinions, among: count ?? opinions.count)
    }

    @Test(
        .fault(64),
        arguments: [
            ("a1 b2 c3", nil), ("a100 b101 c102", 1), ("a102 b100 c101", 2), ("a100 b101 c102 d103", 1),
            ("a100 b101 c102 d300", 1), ("a40 b101 c102 d103", 2), ("a100 b100 c300 d300", nil),
            ("a100 b101 c1000000", 0), ("a100 b300 c301", 1), ("a100 b101 c102 d40 e300", 1), ("a100", 0),
        ] as [(String, Int?)])
    func `if more than half of the sources agree, the middle one of their quotes is used`(
        quotes: String, chosen: Int?
    ) {
        #expect(result(quotes).chosen == chosen)
        #expect(Median(tolerance: nil).result(of: opinions(quotes), among: 1).dropped == [])
    }

    @Test(
        .fault(64),
        arguments: [
            ("a1 b1", 3, 0), ("a1 b1", 4, nil), ("a1 b1 c1", 5, 1), ("a1 b1 c1", 6, nil),
            ("a1 b1 c1 d1", 7, 1),
        ] as [(String, Int, Int?)])
    func `the sources that agree must be more than half of all sources, including silent sources`(
        quotes: String, names: Int, chosen: Int?
    ) {
        #expect(result(quotes, among: names).chosen == chosen)
    }

    @Test(.fault(64))
    func `sources with the same name count once, and quotes in another currency do not count`() {
        #expect(result("a100 a100 b300", among: 3).chosen == nil)
        #expect(
            result("a100 b101€ c102")
                == Median.Result(chosen: 0, agreeing: [0, 2], currency: .usDollar, foreign: [1]))
    }

    @Test(.fault(64)) func `all sources are queried at the same time, and the reading lists all prices`() {
        Simulation(4, agree: .usual, usesMedian: true).expect(
            "0 tick → ask 0/800, ask 1/800, ask 2/800, ask 3/800",
            "50 0=100.5 & 1=40 & 2=100.25 → ",
            "60 3=100.75 → 0=100.5 after 1 disputed: 1 40, 2 100.25, 0 100.5, 3 100.75"
                + " of 0=100.5 1=40 2=100.25 3=100.75 undisputed")
    }

    @Test func `a price in another currency is not listed among the compared prices`() {
        // Given four sources, of which the last does not count because it has the same name as the first
        var sut = Simulation(4, agree: .usual, usesMedian: true)
        let readings = sut.exchange([.tick(anyTick(symbol: "NVDA"))], at: 0) { source, tick in
            let currency = Currency(source > 1 ? "EUR" : "USD")!
            let quote = Quote(price: Price("791.12")!, currency: currency, timestamp: anyTime())
            return .reading(Reading(answering: tick, quote, from: "\(source % 3)"), from: source)
        }.readings
        #expect(readings.map { $0.prices.map(\.source) } == [["0", "1"]])
        #expect(readings.first?.failures.map(\.kind) == [.invalidData])
    }

    @Test(.fault(64))
    func `at the time limit, the quotes received so far are used, and silent sources are listed as failed`() {
        // Ticks for candles have a longer budget, so the tick for a candle is still pending after 800 ms.
        Simulation(3, agree: .usual, usesMedian: true).expect(
            "0 tick 1d@20 & tick → ask 0/800 1d@20, ask 0/800, ask 1/800, ask 2/800", "50 0a → ",
            "799 2=101 → ", "800 → ask 1/200 1d@20, ask 2/200 1d@20, 0a after 1>800 of 0a 2=101")
    }

    @Test(.fault(64)) func `if only one of three sources has a price, there is no quote`() {
        Simulation(3, agree: .usual, usesMedian: true, asking: anyTick()).expect(
            "10 0x & 1x → ", "20 2a → none after 0x and 1x of 2a")
    }

    @Test func `a candle is requested only from the first source as long as that source answers`() {
        Simulation(trip: 1, agree: .usual, usesMedian: true).expect(
            "0 tick & 0x → ask 0/800, ask 1/800", "1 tick 1d@20 → ask 0/800 1d@20", "10 0v 1d@20 → 0v 1d@20")
    }

    @Test(.fault(64), arguments: 3...7)
    func `no wrong price is used as long as fewer than half of the sources are wrong`(sources: Int) {
        var random = SeededRandom(Seed.value &+ UInt64(sources))
        var answered = 0
        var sut = Simulation(sources, agree: .usual, usesMedian: true)
        for second in 0..<FullSize.count(short: 300, full: 20_000) {
            let liars = Set((0..<(sources - 1) / 2).map { _ in Int.random(in: 0..<sources, using: &random) })
            let ticks = [FallbackPolicy.Event.tick(anyTick(second))]
            let readings = sut.exchange(ticks, at: second * 1000) { source, tick in
                let price =
                    liars.contains(source)
                    ? ["40", "89", "112", "160", "100000000"].randomElement(using: &random)!
                    : String(100 + Double(Int.random(in: -10...10, using: &random)) / 10)
                return switch Int.random(in: 0..<20, using: &random) {
                case 0: nil
                case 1: Simulation.answer(of: source, "x", to: tick)
                default: .reading(quoted("\(source)", tick, price), from: source)
                }
            }.readings
            #expect(readings.count == 1, "\(Seed.text)")
            guard let price = readings.first?.quote?.price.text else { continue }
            answered += 1
            #expect((99.0...101.0).contains(Double(price)!), "second \(second): \(price), \(Seed.text)")
        }
        #expect(answered > FullSize.count(short: 100, full: 100))
    }
}
