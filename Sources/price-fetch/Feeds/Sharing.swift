import PipeCommon

/// Which symbols may share a request. One unknown symbol can fail a shared request: then each of its symbols is asked
/// for alone, and shares a request again when that has given a quote. Pure.
struct Sharing {
    private static let pause = Duration.seconds(60)

    /// The symbols that are asked for alone until a quote comes after this time.
    private var alone: [Symbol: Deadline] = [:]
    /// The symbols of the request that failed, as long as each of them may have been the reason.
    private var suspects: Set<Symbol> = []
    /// How many shared requests have failed in a row although none of their symbols was the reason.
    private var failures = 0
    /// Until when no request is shared.
    private var end: Deadline?

    func allows(_ symbol: Symbol, at now: Deadline.Instant) -> Bool {
        alone[symbol] == nil && end?.hasPassed(at: now) ?? true
    }

    /// A shared request has failed, and one of its symbols may be the reason.
    mutating func recordFailure(ofTogether symbols: [Symbol], at now: Deadline.Instant) {
        for symbol in symbols { alone[symbol] = Deadline(now) }
        suspects = Set(symbols)
    }

    /// A shared request has given quotes.
    mutating func recordQuotesTogether() {
        failures = 0
    }

    /// The answer to a shared request had no price of this symbol.
    mutating func recordAbsence(of symbol: Symbol, at now: Deadline.Instant) {
        alone[symbol] = Deadline(in: Self.pause, from: now)
    }

    /// A request for this symbol alone has given a quote. If each of the suspects gives one, twice in a row, it is the
    /// sharing itself that the exchange refuses.
    mutating func recordQuote(ofAlone symbol: Symbol, at now: Deadline.Instant) {
        if let end = alone[symbol], end.hasPassed(at: now) { alone[symbol] = nil }
        guard suspects.remove(symbol) != nil, suspects.isEmpty else { return }
        failures += 1
        if failures > 1 { end = Deadline(in: Self.pause, from: now) }
    }

    /// A request for this symbol alone has failed because of the symbol.
    mutating func recordFailure(ofAlone symbol: Symbol, at now: Deadline.Instant) {
        alone[symbol] = Deadline(now)
        suspects = []
    }
}
