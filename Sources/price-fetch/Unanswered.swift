import PipeCommon

/// Why a source gave no quote.
struct Unanswered: Error, Equatable {
    let kind: Failure.Kind
    let message: String
    /// How long the source wants to be left alone.
    let retry: Duration?

    init(_ kind: Failure.Kind, _ message: String, retry: Duration? = nil) {
        self.kind = kind
        self.message = message
        self.retry = retry
    }

    /// What an HTTP status other than 200 means; nil for 200.
    init?(_ response: HTTPResponse, at now: Timestamp) {
        let message = "status \(response.status)"
        switch response.status {
        case 200: return nil
        case 418, 429:
            self.init(.rateLimited, message, retry: RetryAfter.duration(response.retryAfter, now: now))
        case 401, 403, 451: self.init(.denied, message, retry: RetryAfter.usual)
        default: self.init(.invalidData, message)
        }
    }

    func retrying(after retry: Duration) -> Unanswered {
        Unanswered(kind, message, retry: retry)
    }
}
