import Foundation
import PipeCommon
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The requests under way: hands on to each what URLSession tells of it.
final class Exchanges: NSObject, HasDeadlines {
    private let underWay = Mutex<[Exchange]>([])
    /// Where URLSession is called when it may keep its caller waiting.
    private let aside = DispatchQueue(label: "held-up-requests")

    /// - Parameter isHeldUp: whether the session may be so, by a name server say, and hold up its caller too.
    func start(_ exchange: Exchange, _ request: HTTPRequest, in session: URLSession, isHeldUp: Bool) {
        underWay.withLock { $0.append(exchange) }
        let start = { @Sendable in exchange.start(URLRequest(request), in: session) }
        if isHeldUp { aside.async(execute: start) } else { start() }
    }

    var nextDeadline: Deadline? {
        underWay.withLock { exchanges in
            exchanges.removeAll(where: \.isOver)
            return exchanges.map(\.deadline).min()
        }
    }

    func giveUp(at now: Deadline.Instant) {
        for exchange in underWay.withLock({ $0 })
        where exchange.deadline.hasPassed(at: now) && !exchange.isOver {
            exchange.finish(.failure(.timeout))
            aside.async { exchange.cancel() }
        }
    }

    private func exchange(of task: URLSessionTask) -> Exchange? {
        underWay.withLock { $0.first { $0.isOf(task) } }
    }
}

extension Exchanges: URLSessionDataDelegate {
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let response = task.response as? HTTPURLResponse, error == nil {
            exchange(of: task)?.complete(response)
        } else {
            let reason = error?.localizedDescription ?? "no HTTP answer"
            exchange(of: task)?.finish(.failure(.network(reason)))
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// A status that asks for credentials is an answer like any other; on Linux URLSession would wait for ever.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if let response = challenge.failureResponse as? HTTPURLResponse, let exchange = exchange(of: task) {
            exchange.complete(response)
            exchange.cancel()
        }
        completionHandler(.performDefaultHandling, nil)
    }
}

extension URLRequest {
    fileprivate init(_ request: HTTPRequest) {
        self.init(url: request.url, cachePolicy: .reloadIgnoringLocalCacheData)
        setValue("btc-price/\(version)", forHTTPHeaderField: "User-Agent")
        setValue("application/json", forHTTPHeaderField: "Accept")
        for (name, value) in request.headers { setValue(value, forHTTPHeaderField: name) }
    }
}
