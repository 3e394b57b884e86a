import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The quote in the middle of those that agree.
@Suite(.unit) struct MedianTests {
    private func result(_ prices: [String], names: [String]? = nil, among count: Int? = nil) -> Median.Result
    {
        let quotes = prices.enumerated().map { place, price in
            let words = price.split(separator: " ")
            let currency = words.count > 1 ? Currency(String(words[1]))! : Currency("USD")!
            let quote = Quote(
                price: Price(String(words[0]))!, currency: currency, timestamp: anyQuote().timestamp)
            return anOpinion(quote, from: names?[place] ?? "\(place)")
        }
        return Median(tolerance: .usual).result(of: quotes, among: count ?? prices.count)
    }

    @Test(
        .fault(64),
        arguments: [
            (["1", "2", "3"], nil), (["100", "101", "102"], 1), (["102", "100", "101"], 2),
            (["100", "101", "102", "103"], 1), (["100", "101", "102", "300"], 1),
            (["40", "101", "102", "103"], 2),
            (["100", "100", "300", "300"], nil), (["100", "101", "1000000"], 0), (["100", "300", "301"], 1),
            (["100", "101", "102", "40", "300"], 1), (["100"], 0),
        ] as [([String], Int?)])
    func `the lower middle quote is the answer if more than half of the sources agree`(
        prices: [String], chosen: Int?
    ) {
        #expect(result(prices).chosen == chosen)
    }

    @Test(.fault(64), arguments: [(2, 3, true), (2, 4, false), (3, 5, true), (3, 6, false), (4, 7, true)])
    func `more than half of all sources must agree, silent ones included`(
        quotes: Int, names: Int, isAnswered: Bool
    ) {
        #expect((result(Array(repeating: "100", count: quotes), among: names).chosen != nil) == isAnswered)
    }

    @Test(.fault(64)) func `a name counts once, and another currency not at all`() {
        #expect(result(["100", "100", "300"], names: ["a", "a", "b"], among: 3).chosen == nil)
        #expect(
            result(["100", "101 EUR", "102"]) == Median.Result(chosen: 0, agreeing: [0, 2], foreign: [1]))
    }

    @Test(.fault(64)) func `all sources are queried at once, and the line lists all prices`() {
        Simulation(4, agree: .usual, usesMedian: true).expect(
            "0 tick → ask 0/800, ask 1/800, ask 2/800, ask 3/800",
            "50 0=100.5 & 1=40 & 2=100.25 → ",
            "60 3=100.75 → 0=100.5 after 1 disputed: 1 40, 2 100.25, 0 100.5, 3 100.75"
                + " of 0=100.5 1=40 2=100.25 3=100.75 undisputed")
    }

    @Test(.fault(64))
    func `at the time limit the answers so far decide, and silent sources are failures`() {
        Simulation(3, agree: .usual, usesMedian: true, asking: anyTick()).expect(
            "50 0a → ", "799 2=101 → ", "800 → 0a after 1>800 of 0a 2=101")
    }

    @Test(.fault(64)) func `one of three prices alone is not enough`() {
        Simulation(3, agree: .usual, usesMedian: true, asking: anyTick()).expect(
            "10 0x & 1x → ", "20 2a → none after 0x and 1x of 2a")
    }

    @Test func `a candle is requested from the sources in their order`() {
        Simulation(3, agree: .usual, usesMedian: true).expect(
            "0 tick 1d@20 → ask 0/800 1d@20", "10 0v 1d@20 → 0v 1d@20")
    }

    @Test(.fault(64), arguments: 3...7) func `no liar's price is used while more than half are honest`(
        sources: Int
    ) {
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
        #expect(answered > 100)
    }
}
