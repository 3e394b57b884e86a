import PipeCommon

/// The reason why a source did not provide a quote.
struct FetchError: Error, Equatable {
    /// The reason shown in messages without an HTTP status if the exchange did not state a reason.
    static let noReason = "no reason given"

    let kind: Failure.Kind
    let message: String
    /// How long requests should be paused after this error. Nil if no pause is needed. Also nil at first if the server
    /// rejects requests because of its rate limit without stating how long to wait; a pause is then chosen later.
    var retry: Duration?
    /// The HTTP status with which the server rejected the request; nil for any other error.
    var status: Int?
    /// Advice to the user on how to solve the problem; nil unless the kind is `denied`.
    var advice: String?
    /// Whether the error concerns the requested candle, or all candles of its length, rather than its symbol or the
    /// whole source. Such an error appears only in the reading; price-fetch prints no warning.
    var isOfOneCandle = false
    /// Whether the error concerns the whole source even if its kind and status suggest that it concerns one symbol.
    var concernsSource = false

    init(_ kind: Failure.Kind, _ message: String, retry: Duration? = nil) {
        (self.kind, self.message, self.retry) = (kind, message, retry)
    }

    /// The error for an answer without a valid quote.
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

    /// The error for a rejected request. The message includes `words`, such as the server's own reason, unless `words`
    /// is nil.
    ///
    /// - Parameters:
    ///   - kind: the kind of failure that the answer indicates; nil if the answer does not indicate a kind. Ignored if
    ///     the status alone means a denial or a rate limit.
    ///   - advice: tells the user what to do if access is denied.
    init(
        refusal response: HTTPResponse, _ kind: Failure.Kind?, _ words: String?, advice: String? = nil,
        at now: Timestamp
    ) {
        let status = response.status
        let kind = Self.kind(of: status) ?? kind ?? (status == 403 ? .denied : .invalidData)
        let retry: Duration? =
            switch kind {
            case .rateLimited: RetryAfter.duration(of: response, now: now)
            case .denied, .unsupported: RetryAfter.usual
            // An overloaded server may send `Retry-After`.
            default: status == 503 ? RetryAfter.duration(of: response, now: now) : nil
            }
        let message =
            status == 200
            ? words ?? Self.noReason
            : "status \(status)" + (words.map { ": \($0)" } ?? "")
        self.init(kind, message, retry: retry)
        (self.status, self.advice) = (status, kind == .denied ? advice : nil)
    }

    /// The kind of failure that the status alone determines; nil if the kind may also depend on the source or the body.
    private static func kind(of status: Int) -> Failure.Kind? {
        switch status {
        case 418, 429: .rateLimited
        case 401, 451: .denied
        default: nil
        }
    }

    /// The error for a symbol that cannot be requested from the source.
    init(unsupported invalid: InvalidInput) {
        self.init(.unsupported, invalid.reason, retry: RetryAfter.usual)
    }

    /// Whether the error may concern only the requested symbol rather than all symbols of the source.
    var concernsSymbol: Bool {
        if concernsSource { return false }
        return switch kind {
        case .unsupported: true
        case .denied: status == 403
        // Without a status, the server sent unusable data. With status 400 or 404, the URL may be wrong. In either
        // case, the requested symbol may be the cause.
        case .invalidData: [nil, 400, 404].contains(status)
        default: false
        }
    }

    /// Whether the server rejected the request because of its rate limit without stating how long to wait.
    var isRefusalWithoutTime: Bool { kind == .rateLimited && status != nil && retry == nil }

    /// An error for a candle that cannot be requested, or that is missing or invalid in the answer.
    static func candle(_ kind: Failure.Kind, _ message: String) -> FetchError {
        var error = FetchError(kind, message)
        error.isOfOneCandle = true
        return error
    }

    func retrying(after retry: Duration) -> FetchError {
        var error = self
        error.retry = retry
        return error
    }

    func failure(of source: String) -> Failure {
        Failure(source: source, kind: kind, message: message, retry: retry)
    }
}
