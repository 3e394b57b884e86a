import PipeCommon

/// The rule of a source that prices one symbol, whatever it is asked for: a stream, or one fixed address. Pure.
struct SingleSymbol {
    /// How long the source is not to be asked for another symbol.

    let source: String
    let symbol: Symbol

    /// - Returns: the answer to a tick of another symbol.
    func refusal(of tick: Tick) -> Reading? {
        if tick.pricedSymbol == symbol { return nil }
        let message = "prices \(symbol.text) only"
        let failure = Failure(source: source, kind: .unsupported, message: message, retry: RetryAfter.usual)
        return Reading(answering: tick, [failure])
    }
}
