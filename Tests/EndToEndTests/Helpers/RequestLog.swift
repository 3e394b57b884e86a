import Synchronization

/// The requests to a server, recorded by the function that chooses the server's answers.
final class RequestLog: Sendable {
    private let entries = Mutex<[String]>([])

    var all: [String] { entries.withLock { $0 } }

    func add(_ entry: String) { entries.withLock { $0.append(entry) } }
}
