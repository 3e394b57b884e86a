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

    @Test(.fault(64)) func `all sources are queried at once, and the line lists all prices`() throws {
        // Given
        var sut = Simulation(4, agree: .usual, usesMedian: true)
        let asked = sut.handle(.tick(anyTick()), at: 0)
        #expect(asked == (0..<4).map { .ask($0, anyTick().within(800)) })
        // When
        for (source, price) in ["100.5", "40", "100.25"].enumerated() {
            #expect(sut.read(quoted("\(source)", anyTick(), price), from: source, at: 50) == [])
        }
        let actions = sut.read(quoted("3", anyTick(), "100.75"), from: 3, at: 60)
        // Then
        guard case .answer(let reading) = try #require(actions.first) else { return }
        #expect(reading.source == "0" && reading.quote?.price.text == "100.5" && !reading.isDisputed)
        #expect(reading.failures.map(\.kind) == [.disputed] && reading.failures[0].source == "1")
        #expect(reading.prices.map(\.price.text) == ["100.5", "40", "100.25", "100.75"])
    }

    @Test(.fault(64))
    func `at the time limit the answers so far decide, and silent sources are failures`() {
        var sut = Simulation(3, agree: .usual, usesMedian: true, asking: anyTick())
        _ = sut.read(quoted("0", anyTick(), "100"), from: 0, at: 50)
        _ = sut.read(quoted("2", anyTick(), "101"), from: 2, at: 799)
        guard case .answer(let reading)? = sut.advance(to: 800).first else {
            Issue.record("no answer")
            return
        }
        #expect(reading.quote?.price.text == "100" && reading.failures.map(\.kind) == [.timeout])
    }

    @Test(.fault(64)) func `one of three prices alone is not enough`() {
        var sut = Simulation(3, agree: .usual, usesMedian: true, asking: anyTick())
        _ = sut.read(failed("0", anyTick()), from: 0, at: 10)
        _ = sut.read(failed("1", anyTick()), from: 1, at: 10)
        let actions = sut.read(quoted("2", anyTick(), "100"), from: 2, at: 20)
        guard case .answer(let reading)? = actions.first else {
            Issue.record("no answer")
            return
        }
        #expect(
            reading.quote == nil && reading.failures.map(\.source) == ["0", "1"] && reading.prices.count == 1)
    }

    @Test func `a candle is requested from the sources in their order`() {
        let tick = candleTick()
        var sut = Simulation(3, agree: .usual, usesMedian: true)
        #expect(sut.handle(.tick(tick), at: 0) == [.ask(0, tick.within(800))])
        #expect(!sut.read(quoted("0", tick), from: 0, at: 10).isEmpty)
    }

    @Test(.fault(64), arguments: 3...7) func `no liar's price is used while more than half are honest`(
        sources: Int
    ) {
        var random = SeededRandom(Seed.value &+ UInt64(sources))
        var answered = 0
        var sut = Simulation(sources, agree: .usual, usesMedian: true)
        for second in 0..<FullSize.count(short: 300, full: 20_000) {
            let (tick, start) = (anyTick(second), second * 1000)
            var readings: [Reading] = []
            func keep(_ actions: [FallbackPolicy.Action]) {
                for case .answer(let reading) in actions { readings.append(reading) }
            }
            keep(sut.handle(.tick(tick), at: start))
            let liars = Set((0..<(sources - 1) / 2).map { _ in Int.random(in: 0..<sources, using: &random) })
            for source in 0..<sources {
                let price =
                    liars.contains(source)
                    ? ["40", "89", "112", "160", "100000000"].randomElement(using: &random)!
                    : String(100 + Double(Int.random(in: -10...10, using: &random)) / 10)
                switch Int.random(in: 0..<20, using: &random) {
                case 0: break
                case 1: keep(sut.read(failed("\(source)", tick), from: source, at: start + source + 1))
                default:
                    keep(sut.read(quoted("\(source)", tick, price), from: source, at: start + source + 1))
                }
            }
            keep(sut.advance(to: start + 800))
            #expect(readings.count == 1, "\(Seed.text)")
            guard let price = readings.first?.quote?.price.text else { continue }
            answered += 1
            #expect((99.0...101.0).contains(Double(price)!), "second \(second): \(price), \(Seed.text)")
        }
        #expect(answered > 100)
    }
}
