import Foundation
import PipeCommon
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request under way: gathers its answer, and gives its result once.
final class Exchange: Sendable {
    private struct State {
        var give: (@Sendable (Result<HTTPResponse, HTTPFailure>) -> Void)?
        var task: URLSessionTask?
        var body = Data()
    }

    let deadline: Deadline
    private let state: Mutex<State>

    init(by deadline: Deadline, give: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void) {
        self.deadline = deadline
        state = Mutex(State(give: give))
    }

    /// Whether its result was given.
    var isOver: Bool { state.withLock { $0.give == nil } }

    func start(_ request: URLRequest, in session: URLSession) {
        guard !isOver else { return }
        let task = session.dataTask(with: request)
        state.withLock { $0.task = task }
        task.resume()
    }

    func isOf(_ task: URLSessionTask) -> Bool {
        state.withLock { $0.task?.taskIdentifier == task.taskIdentifier }
    }

    func receive(_ data: Data) {
        let size = state.withLock { state in
            guard state.give != nil else { return 0 }
            state.body.append(data)
            return state.body.count
        }
        if size > HTTPResponse.largestBody {
            finish(.failure(.tooLarge))
            cancel()
        }
    }

    /// The last of its answer has come.
    func complete(_ response: HTTPURLResponse) {
        let retryAfter = response.value(forHTTPHeaderField: "Retry-After")
        let body = state.withLock { $0.body }
        finish(.success(HTTPResponse(status: response.statusCode, retryAfter: retryAfter, body: body)))
    }

    /// What comes later is dropped.
    func finish(_ result: Result<HTTPResponse, HTTPFailure>) {
        let give = state.withLock { state in
            defer { state.give = nil }
            return state.give
        }
        give?(result)
    }

    /// Waits until URLSession has time for it.
    func cancel() {
        state.withLock { $0.task }?.cancel()
    }
}
