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
        case .tooLarge(let limit):
            self.init(.invalidData, "the answer is larger than \(limit / 1024) KiB")
        case .unprovenEnd: self.init(.invalidData, "nothing shows that the answer is complete")
        }
    }

    /// A refusal, in the server's own words if it has any.
    ///
    /// - Parameter kind: what the source's payload says; nil if the status alone decides.
    init(refusal response: HTTPResponse, _ kind: Failure.Kind?, _ words: String?, at now: Timestamp) {
        let status = response.status
        let kind = kind ?? Self.kind(of: status)
        let retry: Duration? =
            switch kind {
            case .rateLimited: RetryAfter.duration(response.retryAfter, now: now)
            case .denied, .unsupported: RetryAfter.usual
            // An overloaded server may name a time.
            default: status == 503 ? RetryAfter.named(response.retryAfter, now: now) : nil
            }
        let message =
            status == 200
            ? words ?? "an error without a message"
            : "status \(status)" + (words.map { ": \($0)" } ?? "")
        self.init(kind, message, retry: retry, status: status)
    }

    private static func kind(of status: Int) -> Failure.Kind {
        switch status {
        case 418, 429: .rateLimited
        case 401, 403, 451: .denied
        default: .invalidData
        }
    }

    /// The symbol is not one that the source prices.
    init(unsupported invalid: InvalidInput) {
        self.init(.unsupported, invalid.reason, retry: RetryAfter.usual)
    }

    /// Whether it may concern only the symbol that was asked for; otherwise it concerns all symbols of the source.
    var concernsSymbol: Bool {
        switch kind {
        case .unsupported: true
        case .denied: status == 403
        // Without a status it is the body, and with these the address, that is not as expected.
        case .invalidData: [nil, 400, 404].contains(status)
        default: false
        }
    }

    func retrying(after retry: Duration) -> FetchError {
        FetchError(kind, message, retry: retry, status: status)
    }

    func failure(of source: String) -> Failure {
        Failure(source: source, kind: kind, message: message, retry: retry)
    }
}
