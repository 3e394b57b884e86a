import PipeCommon

/// Asks web addresses: the port behind which HTTP lies. It waits nowhere; the caller's poll loop drives it. `advance`
/// returns the results that have become known: each request that was not given up has one.
protocol HTTPClient: AnyObject, Polled where Outcome == [HTTPResult] {
    /// Starts a GET, whose result may be known at once. Redirects are not followed.
    ///
    /// - Parameters:
    ///   - id: names the request in its result; no other request that is under way has it.
    ///   - timeout: how long the answer is worth waiting for. The caller calls `giveUp` after that.
    func get(_ request: HTTPRequest, id: Int, within timeout: Duration)

    /// The answer to a request is no longer wanted.
    func giveUp(_ id: Int)
}

typealias HTTPResult = (id: Int, result: Result<HTTPResponse, HTTPFailure>)

struct HTTPRequest: Equatable, Sendable {
    var url: WebAddress
    var headers: [String: String] = [:]
    /// The largest body that is read to its end, in bytes.
    var largestBody = usualBody

    static let usualBody = 64 * 1024
}

/// A complete answer, from the header to the last byte.
struct HTTPResponse: Equatable, Sendable {
    let status: Int
    var retryAfter: String?
    /// How long it has been in a cache; nil if it comes from the server itself.
    var age: Duration?
    /// When the server sent it, by its own clock; nil if it does not say that.
    var date: String?
    let body: [UInt8]

    /// The largest header that is read to its end, in bytes.
    static let largestHead = 64 * 1024
}

/// Why there is no answer.
enum HTTPFailure: Error, Equatable {
    case timeout
    /// Name look-up, connection, TLS, or an answer that is not HTTP; in words for a person.
    case network(String)
    /// The header or the body is larger than allowed.
    ///
    /// - Parameter limit: of the body, in bytes.
    case tooLarge(limit: Int)
    /// Nothing shows that the body is complete: no length, or two that differ, and no last chunk.
    case unprovenEnd
}
