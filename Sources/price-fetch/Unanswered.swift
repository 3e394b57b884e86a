import PipeCommon

/// Why a source gave no quote.
struct Unanswered: Error, Equatable {
    let kind: Failure.Kind
    let message: String
    /// How long the source wants to be left alone.
    let retry: Duration?
    /// The HTTP status that said so.
    let status: Int?

    init(_ kind: Failure.Kind, _ message: String, retry: Duration? = nil, status: Int? = nil) {
        self.kind = kind
        self.message = message
        self.retry = retry
        self.status = status
    }

    init(_ refusal: InvalidInput) {
        self.init(.invalidData, refusal.reason)
    }

    init(_ failure: HTTPFailure, within timeout: Duration) {
        switch failure {
        case .timeout: self.init(.timeout, "no answer within \(timeout.milliseconds) ms")
        case .network(let message): self.init(.network, message)
        case .tooLarge: self.init(.invalidData, "an answer over \(HTTPResponse.largestBody / 1024) KiB")
        }
    }

    /// What an HTTP status other than 200 means; nil for 200.
    init?(_ response: HTTPResponse, at now: Timestamp) {
        let status = response.status
        let message = "status \(status)"
        switch status {
        case 200: return nil
        case 418, 429:
            self.init(
                .rateLimited, message, retry: RetryAfter.duration(response.retryAfter, now: now),
                status: status)
        case 401, 403, 451: self.init(.denied, message, retry: RetryAfter.usual, status: status)
        default: self.init(.invalidData, message, status: status)
        }
    }

    func retrying(after retry: Duration) -> Unanswered {
        Unanswered(kind, message, retry: retry, status: status)
    }
}
