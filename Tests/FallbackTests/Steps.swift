import PipeCommon
import TestSupport
import Testing

@testable import price_fallback

extension Simulation {
    /// Plays steps on a copy of the simulation and checks the policy's reactions. A step such as
    /// `10 0x → ask 1/990` contains the time in milliseconds, an event, and the expected reaction.
    ///
    /// An event is a tick (`tick`) or the answer of a source. An answer is the source's number, followed by a letter
    /// as in `answer(of:_:to:)` (`0v`) or by a price (`0=100.5`). With a price, a name (`0:binance=100.5`) and a mark
    /// for a stored quote (`0=100.5*`) are optional. Events that arrive together are joined by `&`. Without an event,
    /// only time passes.
    ///
    /// The reaction is empty if the policy does nothing. With `ask 1/990, ask 2/990`, the policy queries two
    /// sources, which then have 990 ms to answer. With `2v after 0x and 1>1000`, the policy answers the tick:
    /// source 2 quoted a price, source 0 failed, and source 1 did not answer within 1000 ms of the tick.
    ///
    /// If the number, symbol or candle of a tick differs from `anyTick()`, the difference is appended: `tick 13`,
    /// `0v ETH-USD`, or `ask 1/1000 1d@20` for the daily candle of 20 November.
    func expect(_ steps: String..., sourceLocation: SourceLocation = #_sourceLocation) {
        var sut = self
        for step in steps {
            let sides = step.split(separator: "→", omittingEmptySubsequences: false)
            let words = sides[0].split(separator: " ")
            let events = words.dropFirst().split(separator: "&").map { Self.event(Array($0)) }
            let actions = sut.handle(events, at: Int(words[0])!).map(\.words).joined(separator: ", ")
            let expected = sides[1].split(separator: " ").joined(separator: " ")
            #expect(actions == expected, "\(step)", sourceLocation: sourceLocation)
        }
    }

    private static func event(_ words: [Substring]) -> FallbackPolicy.Event {
        let tick = tick(words.dropFirst())
        guard let source = Int(words[0].prefix { $0.isNumber }) else { return .tick(tick) }
        let sides = words[0].split(separator: "=")
        if sides.count == 1 { return answer(of: source, words[0].last!, to: tick)! }
        let name = String(sides[0].split(separator: ":").last!)
        var reading = quoted(name, tick, String(sides[1].prefix { $0 != "*" }))
        reading.isStored = sides[1].hasSuffix("*")
        return .reading(reading, from: source)
    }

    private static func tick(_ words: some Sequence<Substring>) -> Tick {
        var tick = anyTick()
        for word in words {
            let parts = word.split(separator: "@")
            if let number = Int(word) {
                tick = Tick(number: number, at: tick.at, symbol: tick.symbol, candle: tick.candle)
            } else if let candle = Candle(rawValue: String(parts[0])) {
                tick = candleTick(tick.number!, at: "2026-11-\(parts[1])T00:00", candle)
            } else {
                tick = Tick(number: tick.number, at: tick.at, symbol: Symbol(String(word)))
            }
        }
        return tick
    }
}

extension FallbackPolicy.Action {
    fileprivate var words: String {
        switch self {
        case .ask(let source, let tick):
            "ask \(source)/\(tick.timeout!.milliseconds)\(labels(tick.number, tick.symbol, tick.candle, tick.at))"
        case .restart(let source, let message): "restart \(source): \(message)"
        case .answer(let reading): reading.words
        }
    }
}

/// The differences between a tick and `anyTick()`.
private func labels(_ number: Int?, _ symbol: Symbol?, _ candle: Candle?, _ time: Timestamp?) -> String {
    var labels: [String] = []
    if number != anyTick().number { labels.append("\(number ?? -1)") }
    if let symbol { labels.append(symbol.text) }
    if let candle { labels.append("\(candle.rawValue)@\(time?.text.dropFirst(8).prefix(2) ?? "")") }
    if candle == nil, time != anyTime() { labels.append("at \(time?.text ?? "no time")") }
    return labels.map { " \($0)" }.joined()
}

extension Reading {
    /// The reading's source, price and failures in the notation of `Simulation.expect`. They are followed by
    /// the differences from `anyTick()`, the compared prices, and words such as `disputed` or `stored`.
    fileprivate var words: String {
        var words = source.map { $0 + Self.letter(quote!.price) } ?? "none"
        if !failures.isEmpty { words += " after " + failures.map(\.words).joined(separator: " and ") }
        words += labels(tick, symbol, candle, at)
        if !prices.isEmpty {
            words += " of " + prices.map { $0.source + Self.letter($0.price) }.joined(separator: " ")
        }
        if let ownDispute { words += ownDispute ? " disputed" : " undisputed" }
        for (isSet, word) in [
            (isStored, "stored"), (isClosed, "closed"), (isMadeUp, "made up"), (error == true, "stale"),
        ] where isSet { words += " \(word)" }
        return words
    }

    private static func letter(_ price: Price) -> String {
        ["68901.23": "v", "100": "a", "200": "b", "300": "c"][price.text] ?? "=\(price.text)"
    }
}

extension Failure {
    fileprivate var words: String {
        let silence = message.wholeMatch(of: /no answer within (\d+) ms/)
        if kind == .timeout, let silence { return "\(source)>\(silence.1)" }
        if kind == .network, message == anyFailure().message { return "\(source)x" }
        return "\(source) \(kind.rawValue): \(message)\(retry == nil ? "" : " with a pause")"
    }
}
