import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// A second implementation of the rules for disputed prices, based on price-fallback(1). It records each
/// quote with its time of arrival and checks the readings.
private struct Oracle {
    private struct Opinion {
        let price: Int
        let time: Int
        var isOutvoted: Bool
    }

    /// The last opinions, by symbol and then by source.
    private var opinions: [Symbol: [Int: Opinion]] = [:]

    mutating func record(_ price: Int, of source: Int, _ symbol: Symbol, at time: Int) {
        let old = valid(symbol, at: time)[source]
        let isStillOutvoted = old?.isOutvoted == true && !isConfirmed(price, of: source, symbol, 5, time)
        opinions[symbol, default: [:]][source] = Opinion(
            price: price, time: time, isOutvoted: isStillOutvoted)
    }

    /// - Returns: a description of the reading's fault; nil if the reading is right or contains no new quote.
    mutating func fault(of reading: Reading, at time: Int) -> String? {
        guard reading.isFresh, let quote = reading.quote else { return nil }
        let (symbol, source) = (reading.pricedSymbol, Int(reading.source!)!)
        let price = Int(quote.price.text)!
        let wasOutvoted = opinions[symbol]?[source]?.isOutvoted == true
        let others = valid(symbol, at: time).filter { $0.key != source }
        if reading.isDisputed {
            let isContradicted = others.values.contains { !agree($0.price, price, wasOutvoted ? 5 : 10) }
            return isContradicted ? nil : "marked, although no source contradicts it"
        }
        let isSetAside = valid(symbol, at: time).contains { other, opinion in
            other != source && !opinion.isOutvoted && !agree(opinion.price, price, 5)
        }
        if wasOutvoted, isSetAside { return "from a source that was outvoted" }
        if reading.failures.contains(where: { $0.kind == .disputed }) {
            for (other, opinion) in others where !agree(opinion.price, price, 10) {
                opinions[symbol]![other]!.isOutvoted = true
            }
        }
        let isTrusted = isConfirmed(price, of: source, symbol, 10, time)
        let isContradicted = valid(symbol, at: time).contains { other, opinion in
            other != source && !agree(opinion.price, price, 10) && !(opinion.isOutvoted && isTrusted)
        }
        return isContradicted ? "not marked, although a source contradicts it" : nil
    }

    /// Whether any other source that is not outvoted has a valid opinion within `percent` percent of this price.
    private func isConfirmed(
        _ price: Int, of source: Int, _ symbol: Symbol, _ percent: Int, _ time: Int
    ) -> Bool {
        valid(symbol, at: time).contains { other, opinion in
            other != source && !opinion.isOutvoted && agree(opinion.price, price, percent)
        }
    }

    private func valid(_ symbol: Symbol, at time: Int) -> [Int: Opinion] {
        (opinions[symbol] ?? [:]).filter { time - $0.value.time < 120_000 }
    }

    private func agree(_ one: Int, _ other: Int, _ percent: Int) -> Bool {
        (max(one, other) - min(one, other)) * 100 <= min(one, other) * percent
    }
}

/// A seeded random search for wrong readings. One of several sources often returns wrong prices, and every
/// source sometimes answers late, fails, or stops answering for a while.
@Suite(.unit) struct OpinionOracleFaultTests {
    private struct Search {
        var random: SeededRandom
        let (sources, symbols, liar): (Int, Int, Int)
        static let lies = [0.000_01, 0.4, 0.88, 0.93, 1, 1, 1, 1.01, 1.07, 1.12, 1.6, 1_000_000]
        var lie: [Int: (factor: Double, end: Int)] = [:]
        var absence: [Int: Int] = [:]
        var oracle = Oracle()
        var (answered, marked) = (0, 0)

        init(_ seed: UInt64) {
            random = SeededRandom(seed)
            sources = .random(in: 2...5, using: &random)
            symbols = [1, 2, 5, 16, 100].randomElement(using: &random)!
            liar = .random(in: 0..<sources, using: &random)
        }

        /// A source's answer to a tick: the time at which the answer arrives, and the price; nil if the
        /// source does not answer. The price is nil if the source fails.
        mutating func answer(of source: Int, _ tick: Tick, at time: Int) -> (time: Int, price: Int?)? {
            if let end = absence[source], time < end { return nil }
            absence[source] = nil
            if Int.random(in: 0..<60, using: &random) == 0 {
                absence[source] = time + .random(in: 1000...150_000, using: &random)
            }
            var price = 100_000 + Int.random(in: 0...1000, using: &random)
            let symbol = Int(tick.pricedSymbol.text.dropFirst().prefix { $0 != "-" })!
            if source == liar {
                if lie[symbol].map({ time >= $0.end }) ?? true {
                    let factor = Self.lies.randomElement(using: &random)!
                    lie[symbol] = (factor, time + .random(in: 0...60_000, using: &random))
                }
                price = Int(Double(price) * lie[symbol]!.factor)
            }
            let isLate = Int.random(in: 0..<20, using: &random) == 0
            let fails = Int.random(in: 0..<50, using: &random) == 0
            return (time + .random(in: isLate ? 700...1600 : 1...200, using: &random), fails ? nil : price)
        }

        /// - Returns: the first fault that was found; nil if there is none.
        mutating func run(beats: Int) -> String? {
            var sut = Simulation(sources, agree: .usual)
            var arriving: [(time: Int, source: Int, tick: Tick, price: Int?)] = []
            var beat = 0
            while beat < beats || !arriving.isEmpty {
                arriving.sort { $0.time > $1.time }
                let due = sut.nextDeadline ?? .max
                let arrival = arriving.last?.time ?? .max
                let next = beat < beats ? beat * 1000 : .max
                let time = min(due, arrival, next)
                let actions: [FallbackPolicy.Action]
                if time == arrival {
                    let (_, source, tick, price) = arriving.removeLast()
                    if let price { oracle.record(price, of: source, tick.pricedSymbol, at: time) }
                    let reading =
                        price.map { quoted("\(source)", tick, "\($0)") } ?? failed("\(source)", tick)
                    actions = sut.read(reading, from: source, at: time)
                } else if time == next {
                    let ticks = (0..<symbols).map { anyTick(beat, symbol: "S\($0)-USD") }
                    actions = sut.handle(ticks.map { .tick($0) }, at: time)
                    beat += 1
                } else {
                    actions = sut.advance(to: time)
                }
                for action in actions {
                    switch action {
                    case .restart: break
                    case .ask(let source, let tick):
                        guard let (later, price) = answer(of: source, tick, at: time) else { continue }
                        arriving.append((later, source, tick, price))
                    case .answer(let reading):
                        answered += 1
                        if reading.isFresh, reading.isDisputed { marked += 1 }
                        if let fault = oracle.fault(of: reading, at: time) {
                            return "\(fault), after \(time) ms: \(reading.text)"
                        }
                    }
                }
            }
            return nil
        }
    }

    @Test(.fault(56, 63)) func `a reading is marked as disputed exactly when the manual page requires it`() {
        var (answered, marked) = (0, 0)
        for number in 0..<UInt64(FullSize.count(short: 8, full: 1000)) {
            let seed = Seed.value &+ number
            var search = Search(seed)
            #expect(search.run(beats: 2000 / search.symbols + 100) == nil, "seed \(seed)")
            (answered, marked) = (answered + search.answered, marked + search.marked)
        }
        #expect(marked > 0 && answered > 10_000, "\(answered), \(marked)")
    }
}
