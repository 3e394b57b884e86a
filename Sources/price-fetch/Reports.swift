import PipeCommon

/// Prints warnings about problems with a source: one warning when a problem begins. For some problems of the whole
/// source, such as a network failure, a warning also tells when all such problems are over.
final class Reports {
    enum Kind: Hashable {
        case failure(Failure.Kind, status: Int?)
        case connection(Failure.Kind)
        case end, halt, key, order, refusal, restart, silence, stream, unreadable
    }

    /// Identifies a problem by its subject and kind, because its wording may differ each time. For most problems of the
    /// whole source, the subject is nil.
    private struct Problem: Hashable {
        let subject: String?
        let kind: Kind
    }

    /// A problem is over when the source provides a price and the problem has not occurred for this long. This time is
    /// longer than the usual pause after a refusal, so a problem that recurs after each such pause is reported once.
    private static let recovery = Duration.seconds(120)
    /// The maximum number of problems that are remembered. Further problems are not reported.
    private static let most = 1000

    private let warn: (String) -> Void
    /// When each problem was last seen, and the text to report when it is over.
    private var problems: [Problem: (seen: Deadline.Instant, end: String?)] = [:]
    /// The `end` messages of problems that are over, to be reported when no problem with such a message remains.
    private var ends: Set<String> = []

    /// - Parameter warn: called with each warning, which may contain characters that are not printable.
    init(warn: @escaping (String) -> Void = { _ in }) {
        self.warn = warn
    }

    /// Called each time a problem occurs. Reports the problem only when it begins.
    ///
    /// - Parameter end: the message for `recordHealth` to report when the problem is over; nil for none.
    func report(
        _ kind: Kind, of subject: String?, _ text: @autoclosure () -> String, end: String? = nil,
        at now: Deadline.Instant
    ) {
        let problem = Problem(subject: subject, kind: kind)
        if problems[problem] != nil {
            problems[problem]!.seen = now
        } else if problems.count < Self.most {
            problems[problem] = (now, end)
            warn(text())
        }
    }

    /// Reports why a source did not provide a quote, unless the error is a timeout or its `isOfOneCandle` is true.
    ///
    /// - Parameter subject: the requested symbol, and the length of the candle if a candle was requested.
    func report(_ error: FetchError, of subject: Subject, from source: String, at now: Deadline.Instant) {
        // A timeout is not worth a warning: a fallback can answer the tick, and the next answer may be in time.
        guard error.kind != .timeout, !error.isOfOneCandle else { return }
        let wanted = [subject.symbol.text, subject.candle.map { "\($0.rawValue) candles" }].compactMap(\.self)
            .joined(separator: " ")
        let kind = Kind.failure(error.kind, status: error.status)
        if error.concernsSymbol {
            let verb = subject.candle == nil ? "is" : "are"
            let problem = error.kind == .unsupported ? " \(verb) not supported" : ""
            report(kind, of: wanted, "\(source): \(wanted)\(problem): \(text(error))", at: now)
        } else {
            let problem = error.kind == .network ? ": unreachable" : ""
            report(
                kind, of: nil, "\(source)\(problem): \(text(error))", end: "\(source): answers again", at: now
            )
        }
    }

    private func text(_ error: FetchError) -> String {
        let isPaused = error.kind == .rateLimited || error.kind == .denied
        return error.message + (isPaused ? "; pausing requests" : "") + (error.advice.map { "; \($0)" } ?? "")
    }

    /// Called when the source has provided a price. Forgets the problems that are over. Reports their `end` messages
    /// once all problems that have such a message are over.
    func recordHealth(at now: Deadline.Instant) {
        let over = problems.filter { now - $0.value.seen >= Self.recovery }
        for problem in over.keys { problems[problem] = nil }
        ends.formUnion(over.values.compactMap(\.end))
        guard problems.values.allSatisfy({ $0.end == nil }) else { return }
        for end in ends.sorted() { warn(end) }
        ends = []
    }
}
