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
    private let exchanges = Exchanges()
    private let session: URLSession
    private let wear = Mutex(Wear())

    /// - Parameter connections: how many requests may be under way at once.
    init(connections: Int) {
        // A name server that is silent holds up every request of the session: it gets a second, not ten.
        setenv("RES_OPTIONS", "timeout:1 attempts:1", 0)
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 24 * 60 * 60
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpMaximumConnectionsPerHost = connections
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: nil)
    }

    func get(_ request: HTTPRequest, by deadline: Deadline) async throws(HTTPFailure) -> HTTPResponse {
        let result = await exchanges.response(to: session.dataTask(with: URLRequest(request)), by: deadline)
        wear.withLock { $0.note(result, of: request.url) }
        return try result.get()
    }

    var isWorn: Bool { wear.withLock { $0.isWorn } }
}

extension URLRequest {
    fileprivate init(_ request: HTTPRequest) {
        self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData)
        setValue("btc-price/\(version)", forHTTPHeaderField: "User-Agent")
        setValue("application/json", forHTTPHeaderField: "Accept")
        for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    }
}
