import Foundation

/// What a session on Linux goes through: it leaks about 150 bytes a request, and a connection that is shared by
/// requests (HTTP/2, so only over https) stays in use when it is dead.
struct Wear {
    private static let mostRequests = 2000
    private static let mostMisses = 2

    private var requests = 0
    private var misses = 0
    /// Whether the last request was not answered in time.
    private(set) var hasMissed = false

    mutating func note(_ result: Result<HTTPResponse, HTTPFailure>, of url: URL) {
        requests += 1
        hasMissed = result == .failure(.timeout)
        misses = hasMissed && url.scheme?.lowercased() == "https" ? misses + 1 : 0
    }

    var isWorn: Bool { requests >= Self.mostRequests || misses >= Self.mostMisses }
}
