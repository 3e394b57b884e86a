import PipeCommon

/// The reason why a quote could not be stored or loaded, as a message.
struct StoreError: Error, Equatable {
    let reason: String

    /// - Parameter number: the system's error number.
    static func failed(_ verb: String, _ path: String, _ number: Int32) -> StoreError {
        StoreError(reason: "cannot \(verb) \(path): \(systemMessage(number))")
    }
}
