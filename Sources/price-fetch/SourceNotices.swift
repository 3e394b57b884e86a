import PipeCommon

/// The warnings about a source that provides no quote, one at the start of each problem: the source is
/// unreachable or refuses requests, or something is wrong with one symbol or its candles.
final class SourceNotices {
    private let source: PriceSource
    private var ofKey = ChangeFilter()
    /// The problem last reported for a symbol or its candles; under nil, for the whole source.
    private var reported: [Subject?: ChangeFilter] = [:]

    init(of source: PriceSource) {
        self.source = source
    }

    /// - Returns: the warning for a key that must not be sent to this address, if it is new.
    func record(_ key: APIKey, for url: WebAddress) -> String? {
        ofKey.changed(to: key.warning(for: url)).map { "\(source.name): \($0)" }
    }

    func recordQuote(of subject: Subject) {
        reported[nil] = nil
        reported[subject] = nil
    }

    /// - Returns: a warning in one line, if the problem is new.
    func record(_ error: FetchError, of subject: Subject) -> String? {
        // A slow answer needs no warning: the fallbacks step in, and the next answer may be in time.
        guard error.kind != .timeout else { return nil }
        // The message of the same problem may differ from one attempt to the next.
        let problem = "\(error.kind) \(error.status ?? 0)"
        let concerned = error.concernsSymbol ? subject : nil
        return reported[concerned, default: ChangeFilter()].changed(to: problem)
            .map { _ in text(error, subject) }
    }

    private func text(_ error: FetchError, _ asked: Subject) -> String {
        let wanted = [asked.symbol.text, asked.candle.map { "\($0.rawValue) candles" }].compactMap(\.self)
            .joined(separator: " ")
        let subject = error.concernsSymbol ? "\(source.name): \(wanted)" : source.name
        switch error.kind {
        case .network: return "\(subject): unreachable: \(error.message)"
        case .unsupported:
            return "\(subject) \(asked.candle == nil ? "is" : "are") not supported: \(error.message)"
        case .rateLimited, .denied:
            let advice = error.status.flatMap { source.advice[$0] }.map { "; \($0)" } ?? ""
            return "\(subject): \(error.message); pausing requests\(advice)"
        case .timeout, .invalidData, .expired, .exited, .disputed: return "\(subject): \(error.message)"
        }
    }
}
