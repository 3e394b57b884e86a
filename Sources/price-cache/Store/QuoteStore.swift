import PipeCommon

/// Keeps quotes from one run of the program to the next: one per symbol, and those of candles.
protocol QuoteStore: Sendable {
    /// - Returns: nil when nothing is stored.
    func load(_ subject: Subject) throws(StoreError) -> LoadedSeries?

    /// Stores quotes in one step, except those that are older than the stored ones, or of candles that are closed in
    /// the store.
    func save(_ series: QuoteSeries) throws(StoreError)

    /// Deletes what a run that was killed while it saved has left.
    func sweep()
}

/// What could be loaded.
struct LoadedSeries: Equatable, Sendable {
    let series: QuoteSeries
    /// The reason why a part of what is stored cannot be used.
    var problem: StoreError?
}

/// The reason why quotes could not be stored, loaded or deleted.
struct StoreError: Error, Equatable {
    enum Cause {
        /// What is stored was read, and is of no use: it may be replaced or deleted.
        case damaged
        /// It holds good quotes of another symbol.
        case foreign
        /// The next attempt may succeed.
        case passing
        case lasting
    }

    /// The errors of the moment: the disk is full or failing, or descriptors or memory are short.
    private static let passingNumbers: Set = [
        EIO, ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM, EAGAIN, EINTR, EBUSY, ETIMEDOUT, ESTALE, ENOLCK,
    ]

    /// The complete message.
    let reason: String
    /// The message without the path.
    let problem: String
    let cause: Cause

    init(reason: String, _ cause: Cause = .lasting) {
        (self.reason, problem, self.cause) = (reason, reason, cause)
    }

    init(cannot verb: String, _ path: String, _ problem: String, _ cause: Cause = .lasting) {
        reason = "cannot \(verb) \(path): \(problem)"
        (self.problem, self.cause) = (problem, cause)
    }

    /// - Parameter number: the system's error number.
    static func failed(_ verb: String, _ path: String, _ number: Int32) -> StoreError {
        let cause: Cause = passingNumbers.contains(number) ? .passing : .lasting
        return StoreError(cannot: verb, path, systemMessage(number), cause)
    }

    static func == (left: StoreError, right: StoreError) -> Bool {
        left.reason == right.reason
    }
}
