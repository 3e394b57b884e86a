import PipeCommon

/// Deletes stored files that are damaged or too old, removes damaged lines from the others, and prints a line for each.
struct ValidateStore {
    private let store: FileQuoteStore
    private let ageLimit: AgeLimit
    private let diagnostics: Diagnostics

    init(_ store: FileQuoteStore, ageLimit: AgeLimit, diagnostics: Diagnostics) {
        (self.store, self.ageLimit, self.diagnostics) = (store, ageLimit, diagnostics)
    }

    func run() throws(StreamError) -> ExitStatus {
        store.sweep()
        var status = ExitStatus.done
        for file in attempt({ () throws(StoreError) in try store.location.files() }, &status) ?? [] {
            let change = attempt({ () throws(StoreError) in try tidy(file) }, &status) ?? nil
            if let change { try LineWriter.standardOutput.write(printable(change).utf8) }
        }
        return status
    }

    /// Reports a failure, which the exit status remembers.
    private func attempt<Value>(
        _ act: () throws(StoreError) -> Value, _ status: inout ExitStatus
    ) -> Value? {
        do throws(StoreError) { return try act() } catch {
            diagnostics.error(error.reason)
            status = .streamFailed
            return nil
        }
    }

    /// - Returns: what was done with a file; nil for a good one.
    private func tidy(_ file: StoreLocation.File) throws(StoreError) -> String? {
        guard let subject = try store.subject(of: file) else { return nil }
        let reason = try store.delete(file.path) { () throws(StoreError) in try reasonToDelete(subject) }
        if let reason { return "deleted \(file.path): \(reason)" }
        guard let loaded = try store.load(subject), let problem = loaded.problem else { return nil }
        try store.save(loaded.series)
        return "repaired \(file.path): \(problem.problem)"
    }

    private func reasonToDelete(_ subject: Subject) throws(StoreError) -> String? {
        do throws(StoreError) {
            let (series, now) = (try store.load(subject)?.series, Timestamp.now())
            // A quote from the future does not tell how old the others are.
            let newest = series?.quotes.last { !Recency.isFromFuture($0.quote, at: now) } ?? series?.newest
            guard let newest, !ageLimit.allows(newest.quote, at: now) else { return nil }
            return "its newest quote is from \(newest.quote.timestamp.text)"
        } catch {
            guard error.cause == .damaged || error.cause == .foreign else { throw error }
            return error.problem
        }
    }
}
