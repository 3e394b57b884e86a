import PipeCommon

/// Keeps quotes from one run of the program to the next: one per symbol, and those of its candles.
protocol QuoteStore: Sendable {
    /// - Returns: nil when nothing is stored.
    func load(_ subject: Subject) throws(StoreError) -> LoadedSeries?

    /// Stores quotes atomically, except those that are older than the stored ones, or of candles that are
    /// already closed in the store.
    func save(_ series: QuoteSeries) throws(StoreError)

    /// Deletes what was left behind by a run that was killed while saving.
    func sweep()
}

/// The usable part of a stored series.
struct LoadedSeries: Equatable, Sendable {
    let series: QuoteSeries
    /// The reason why the rest cannot be used; nil if everything was loaded.
    var problem: StoreError?
}

/// The reason why quotes could not be stored, loaded or deleted.
struct StoreError: Error, Equatable {
    enum Cause {
        /// The file was read, but its content is unusable: it may be replaced or deleted.
        case damaged
        /// The file holds valid quotes of another symbol.
        case foreign
        /// The next attempt may succeed.
        case passing
        case lasting
    }

    /// The temporary errors: the disk is full or failing, or descriptors or memory have run out.
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
