import Foundation
import PipeCommon
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// HTTP by URLSession: one session for life, so that connections are kept alive.
///
/// URLSession's own time limits are cut to whole seconds on Linux and never see a dripping body; they are
/// set out of reach, and the deadline is kept here.
final class URLSessionHTTPClient: HTTPClient {
    private let session: URLSession
    private let exchanges = Exchanges()
    private let wear = Mutex(Wear())

    /// - Parameter connections: how many requests may be under way at once.
    init(connections: Int) {
        // A name server that is silent holds up every request of the session: it gets a second, not ten.
        setenv("RES_OPTIONS", "timeout:1 attempts:1", 0)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 24 * 60 * 60
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        // Else it looks for cookies in each header field, and has nowhere to put them.
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpMaximumConnectionsPerHost = connections
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    func get(
        _ request: HTTPRequest, by deadline: Deadline,
        with give: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
    ) {
        let exchange = Exchange(by: deadline) { [weak self] result in
            self?.wear.withLock { $0.note(result, of: request.url) }
            give(result)
        }
        exchanges.start(exchange, request, in: session, isHeldUp: wear.withLock(\.hasMissed))
    }

    var nextDeadline: Deadline? { exchanges.nextDeadline }

    func giveUp(at now: Deadline.Instant) {
        exchanges.giveUp(at: now)
    }

    var isWorn: Bool { wear.withLock(\.isWorn) }
}
