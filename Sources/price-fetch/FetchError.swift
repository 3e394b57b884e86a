import PipeCommon

/// Why a source gave no quote.
struct FetchError: Error, Equatable {
    let kind: Failure.Kind
    let message: String
    /// How long the source is not to be asked again.
    let retry: Duration?
    /// The HTTP status that refused us.
    let status: Int?

    init(_ kind: Failure.Kind, _ message: String, retry: Duration? = nil, status: Int? = nil) {
        self.kind = kind
        self.message = message
        self.retry = retry
        self.status = status
    }

    /// A payload that is not the source's quote.
    init(_ invalid: InvalidInput) {
        self.init(.invalidData, invalid.reason)
    }

    init(_ failure: HTTPFailure, within timeout: Duration) {
        switch failure {
        case .timeout: self.init(.timeout, "no answer within \(timeout.milliseconds) ms")
        case .network(let message): self.init(.network, message)
        case .tooLarge:
            self.init(.invalidData, "the answer is larger than \(HTTPResponse.largestBody / 1024) KiB")
        case .unprovenEnd: self.init(.invalidData, "nothing shows that the answer is complete")
        }
    }

    /// What an HTTP status other than 200 means; nil for 200.
    init?(_ response: HTTPResponse, at now: Timestamp) {
        let status = response.status
        let message = "status \(status)"
        switch status {
        case 200: return nil
        case 418, 429:
            let retry = RetryAfter.duration(response.retryAfter, now: now)
            self.init(.rateLimited, message, retry: retry, status: status)
        case 401, 403, 451: self.init(.denied, message, retry: RetryAfter.usual, status: status)
        default: self.init(.invalidData, message, status: status)
        }
    }

    func retrying(after retry: Duration) -> FetchError {
        FetchError(kind, message, retry: retry, status: status)
    }

    func failure(of source: String) -> Failure {
        Failure(source: source, kind: kind, message: message, retry: retry)
    }
}
