import PipeCommon

/// The warnings about a source that cannot be asked, one when it begins: it is unreachable, or it refuses us. Pure.
struct SourceNotices {
    private let source: PriceSource
    private var reported = ChangeFilter()

    init(of source: PriceSource) {
        self.source = source
    }

    mutating func recordQuote() {
        _ = reported.changed(to: nil)
    }

    /// - Returns: one line, when this has changed.
    mutating func record(_ error: FetchError) -> String? {
        switch error.kind {
        // After a slow or a strange answer the fallbacks are asked, and the next answer may be good.
        case .timeout, .invalidData, .exited, .unsupported: return nil
        case .network:
            // The text of a network error differs from one attempt to the next.
            return reported.changed(to: "network").map { _ in "\(source.name): unreachable: \(error.message)"
            }
        case .rateLimited, .denied:
            return reported.changed(to: error.message).map { _ in
                let advice = error.status.flatMap { source.advice[$0] }.map { "; \($0)" } ?? ""
                return "\(source.name): \(error.message); pausing requests\(advice)"
            }
        }
    }
}
