import Foundation
import PipeCommon

/// Asks a web address once: the port behind which HTTP lies.
protocol HTTPClient: HasDeadlines {
    /// A GET, and its whole answer, from the header to the last byte, given once, on any thread. Redirects are not
    /// followed.
    func get(
        _ request: HTTPRequest, by deadline: Deadline,
        with give: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void)

    /// Whether a client in a new process would do better.
    var isWorn: Bool { get }
}

struct HTTPRequest: Equatable, Sendable {
    var url: URL
    var headers: [String: String] = [:]
}

struct HTTPResponse: Equatable, Sendable {
    let status: Int
    /// The header field of that name.
    var retryAfter: String?
    let body: Data

    /// The largest body that is read to its end, in bytes.
    static let largestBody = 64 * 1024
}

/// Why there is no answer.
enum HTTPFailure: Error, Equatable {
    case timeout
    /// Name look-up, connection, TLS, or an answer that is not HTTP; in words for a person.
    case network(String)
    case tooLarge
}
