import PipeCommon

/// The reason why quotes could not be stored, loaded or deleted.
struct StoreError: Error, Equatable {
    /// The complete message.
    let reason: String
    /// The message without the path.
    let problem: String

    init(reason: String) {
        (self.reason, problem) = (reason, reason)
    }

    init(cannot verb: String, _ path: String, _ problem: String) {
        reason = "cannot \(verb) \(path): \(problem)"
        self.problem = problem
    }

    /// - Parameter number: the system's error number.
    static func failed(_ verb: String, _ path: String, _ number: Int32) -> StoreError {
        StoreError(cannot: verb, path, systemMessage(number))
    }

    static func == (left: StoreError, right: StoreError) -> Bool {
        left.reason == right.reason
    }
}
