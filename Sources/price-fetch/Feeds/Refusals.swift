import PipeCommon

/// The pauses that a source has asked for: in asking for one symbol, or for all. Pure.
struct Refusals {
    private var ofSource = Cooldown<FetchError>()
    private var ofSymbol: [Symbol: Cooldown<FetchError>] = [:]

    /// Begins a pause when the error asks for one.
    mutating func record(_ error: FetchError, of symbol: Symbol, at now: Deadline.Instant) {
        guard let retry = error.retry else { return }
        if error.concernsSymbol {
            ofSymbol[symbol, default: Cooldown()].start(error, for: retry, at: now)
        } else {
            ofSource.start(error, for: retry, at: now)
        }
    }

    /// Why the symbol is not asked for now, and for how much longer; nil when it may be.
    func refusal(of symbol: Symbol, at now: Deadline.Instant) -> FetchError? {
        let pause = ofSource.reason(at: now) ?? ofSymbol[symbol]?.reason(at: now)
        return pause.map { $0.reason.retrying(after: $0.remaining) }
    }
}
