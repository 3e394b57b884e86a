import PipeCommon

/// The pauses that a source has asked for: in asking for one symbol or its candles, or for all. The feeds of the source
/// share it.
final class Refusals {
    private var ofSource = Cooldown<FetchError>()
    private var ofSubject: [Subject: Cooldown<FetchError>] = [:]

    /// Begins a pause when the error asks for one.
    func record(
        _ error: FetchError, of symbol: Symbol, _ candle: Candle? = nil, at now: Deadline.Instant
    ) {
        guard let retry = error.retry else { return }
        if error.concernsSymbol {
            ofSubject[Subject(symbol, candle), default: Cooldown()].start(error, for: retry, at: now)
        } else {
            ofSource.start(error, for: retry, at: now)
        }
    }

    /// Why the symbol or its candles are not asked for now, and for how much longer; nil when they may be.
    func refusal(of symbol: Symbol, _ candle: Candle? = nil, at now: Deadline.Instant) -> FetchError? {
        let pause = ofSource.reason(at: now) ?? ofSubject[Subject(symbol, candle)]?.reason(at: now)
        return pause.map { $0.reason.retrying(after: $0.remaining) }
    }
}
