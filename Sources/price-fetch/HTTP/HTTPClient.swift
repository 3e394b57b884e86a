import PipeCommon

/// The interface to an HTTP client. The client must not block: the caller's poll loop drives it. `advance` returns the
/// new results. Each request has exactly one result unless the request is given up.
protocol HTTPClient: AnyObject, Polled where Outcome == [HTTPResult] {
    /// Starts a GET request. Its result may be known immediately; the next call of `advance` then returns it. Redirects
    /// are not followed.
    ///
    /// - Parameters:
    ///   - id: identifies the request in its result; unique among the requests under way.
    ///   - timeout: roughly how long the caller waits for the answer before it calls `giveUp`.
    func get(_ request: HTTPRequest, id: Int, within timeout: Duration)

    /// Gives up a request whose answer is no longer wanted.
    func giveUp(_ id: Int)
}

typealias HTTPResult = (id: Int, result: Result<HTTPResponse, HTTPFailure>)

struct HTTPRequest: Equatable, Sendable {
    var url: WebAddress
    var headers: [String: String] = [:]
    /// The maximum size of the answer's body, in bytes.
    var largestBody = usualBody

    static let usualBody = 64 * 1024
}

/// An HTTP answer. An `HTTPClient` returns an answer with status 200 only if its body is complete.
struct HTTPResponse: Equatable, Sendable {
    let status: Int
    var retryAfter: String?
    /// How old the answer is according to the field `Age`, which caches add; nil if this field is missing or invalid.
    var age: Duration?
    /// The field `Date`: when the server sent the answer, by its own clock; nil if the header does not contain this
    /// field.
    var date: String?
    let body: [UInt8]

    /// The maximum size of an answer's header, in bytes, including trailers and the headers of interim answers.
    static let largestHead = 64 * 1024
}

/// The reason why a request has no usable answer.
enum HTTPFailure: Error, Equatable {
    case timeout
    /// The name look-up, the connection, TLS or HTTP failed. The text describes the failure.
    case network(String)
    /// The header or the body is larger than allowed.
    ///
    /// - Parameter limit: the limit that the error message states, in bytes.
    case tooLarge(limit: Int)
    /// Nothing proves that the body is complete: the body is not chunked, and the header contains the field
    /// `Transfer-Encoding`, no length, or several different lengths.
    case unprovenEnd
}
