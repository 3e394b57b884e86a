import PipeCommon
import Synchronization

/// What a user is told of a source that can't be asked, when that begins: refused, or out of reach.
final class Troubles: Sendable {
    private let source: Source
    private let said = Mutex(ChangeFilter())

    init(with source: Source) {
        self.source = source
    }

    /// - Parameter reason: nil for a quote.
    /// - Returns: one line, when it is news.
    func note(_ reason: Unanswered?) -> String? {
        switch reason?.kind {
        // A slow or a strange answer is the fallbacks' business, and the next one may be good.
        case .timeout, .invalidData, .exited: return nil
        case nil, .network, .rateLimited, .denied:
            // The words of the network differ from one attempt to the next.
            let trouble = reason.map { $0.kind == .network ? "network" : $0.message }
            guard said.withLock({ $0.changed(to: trouble) }) != nil else { return nil }
            return reason.map { "\(source.name): \(words($0))" }
        }
    }

    private func words(_ reason: Unanswered) -> String {
        guard reason.kind != .network else { return "out of reach: \(reason.message)" }
        let advice = reason.status.flatMap { source.advice[$0] }.map { "; \($0)" } ?? ""
        return "\(reason.message), left alone for a while\(advice)"
    }
}
