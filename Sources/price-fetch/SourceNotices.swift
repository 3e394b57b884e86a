import PipeCommon

/// The warnings about a source that gives no quote, one when a problem begins: the source is unreachable or refuses us,
/// or something is wrong with one symbol. Pure.
struct SourceNotices {
    private let source: PriceSource
    private var ofSource = ChangeFilter()
    private var ofKey = ChangeFilter()
    private var ofSymbol: [Symbol: ChangeFilter] = [:]

    init(of source: PriceSource) {
        self.source = source
    }

    /// A request to this address needs the key.
    mutating func record(_ key: APIKey, for url: WebAddress) -> String? {
        ofKey.changed(to: key.warning(for: url)).map { "\(source.name): \($0)" }
    }

    mutating func recordQuote(of symbol: Symbol) {
        _ = ofSource.changed(to: nil)
        ofSymbol[symbol] = nil
    }

    /// - Returns: one line, when this has changed.
    mutating func record(_ error: FetchError, of symbol: Symbol) -> String? {
        // After a slow answer the fallbacks are asked, and the next answer may be in time.
        guard error.kind != .timeout else { return nil }
        // The words of an error may differ from one attempt to the next.
        let problem = "\(error.kind) \(error.status ?? 0)"
        let changed =
            error.concernsSymbol
            ? ofSymbol[symbol, default: ChangeFilter()].changed(to: problem) : ofSource.changed(to: problem)
        return changed.map { _ in text(error, symbol) }
    }

    private func text(_ error: FetchError, _ symbol: Symbol) -> String {
        let subject = error.concernsSymbol ? "\(source.name): \(symbol.text)" : source.name
        switch error.kind {
        case .network: return "\(subject): unreachable: \(error.message)"
        case .unsupported: return "\(subject) is not supported: \(error.message)"
        case .rateLimited, .denied:
            let advice = error.status.flatMap { source.advice[$0] }.map { "; \($0)" } ?? ""
            return "\(subject): \(error.message); pausing requests\(advice)"
        case .timeout, .invalidData, .expired, .exited: return "\(subject): \(error.message)"
        }
    }
}
