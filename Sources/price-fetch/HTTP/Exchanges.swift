import Foundation
import PipeCommon
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The requests under way: gathers what URLSession tells of each, and answers whoever waits for it, once.
final class Exchanges: NSObject {
    private struct Exchange {
        let waiting: CheckedContinuation<Result<HTTPResponse, HTTPFailure>, Never>
        var body = Data()
    }

    private let underWay = Mutex<[Int: Exchange]>([:])
    private let timers = DispatchQueue(label: "http-deadlines")

    /// Starts a task and waits for its end, or for the deadline.
    func response(to task: URLSessionTask, by deadline: Deadline) async -> Result<HTTPResponse, HTTPFailure> {
        await withCheckedContinuation { waiting in
            underWay.withLock { $0[task.taskIdentifier] = Exchange(waiting: waiting) }
            timers.asyncAfter(deadline: .now() + deadline.remaining().seconds) {
                self.finish(task, .failure(.timeout))
            }
            task.resume()
        }
    }

    /// Ends an exchange; what comes of it later is dropped.
    private func finish(_ task: URLSessionTask, _ result: Result<HTTPResponse, HTTPFailure>) {
        guard let exchange = underWay.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else {
            return
        }
        // The answer first: cancelling waits until URLSession has time for it.
        exchange.waiting.resume(returning: result)
        task.cancel()
    }
}

extension Exchanges: URLSessionDataDelegate {
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let size = underWay.withLock { exchanges in
            exchanges[dataTask.taskIdentifier]?.body.append(data)
            return exchanges[dataTask.taskIdentifier]?.body.count ?? 0
        }
        if size > HTTPResponse.largestBody { finish(dataTask, .failure(.tooLarge)) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let body = underWay.withLock { $0[task.taskIdentifier]?.body } ?? Data()
        if let response = task.response as? HTTPURLResponse, error == nil {
            finish(task, .success(HTTPResponse(response, body)))
        } else {
            finish(task, .failure(.network(error?.localizedDescription ?? "no HTTP answer")))
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
        if let response = challenge.failureResponse as? HTTPURLResponse {
            finish(task, .success(HTTPResponse(response, Data())))
        }
        completionHandler(.performDefaultHandling, nil)
    }
}

extension HTTPResponse {
    fileprivate init(_ response: HTTPURLResponse, _ body: Data) {
        let retryAfter = response.value(forHTTPHeaderField: "Retry-After")
        self.init(status: response.statusCode, retryAfter: retryAfter, body: body)
    }
}
