import PipeCommon

/// Deletes stored files that cannot be read, fail their checksum, or are too old, and prints a line for each.
struct ValidateStore {
    private let store: FileQuoteStore
    private let ageLimit: AgeLimit
    private let diagnostics: Diagnostics

    init(_ store: FileQuoteStore, ageLimit: AgeLimit, diagnostics: Diagnostics) {
        (self.store, self.ageLimit, self.diagnostics) = (store, ageLimit, diagnostics)
    }

    func run() throws(StreamError) -> ExitStatus {
        store.sweep()
        let files = Result { () throws(StoreError) in try store.storedFiles() }
        var status = ExitStatus.done
        for file in attempt(files, &status) ?? [] {
            let deleted = Result { () throws(StoreError) in try deleteIfUseless(file.path, file.name) }
            guard let problem = attempt(deleted, &status) ?? nil else { continue }
            try LineWriter.standardOutput.write(printable("deleted \(file.path): \(problem)").utf8)
        }
        return status
    }

    /// Reports a failure, which the exit status remembers.
    private func attempt<Value>(_ result: Result<Value, StoreError>, _ status: inout ExitStatus) -> Value? {
        switch result {
        case .success(let value): return value
        case .failure(let error):
            diagnostics.error(error.reason)
            status = .streamFailed
            return nil
        }
    }

    /// - Returns: why the file was deleted; nil if it was not.
    private func deleteIfUseless(_ path: String, _ name: Subject) throws(StoreError) -> String? {
        guard problem(of: name) != nil else { return nil }
        return try store.delete(path) { problem(of: name) }
    }

    /// The reason to delete a file; nil for a good one.
    private func problem(of name: Subject) -> String? {
        do throws(StoreError) {
            guard let loaded = try store.load(name) else { return nil }
            if let error = loaded.problem { return error.problem }
            guard let newest = loaded.series.newest, !ageLimit.allows(newest.quote, at: .now()) else {
                return nil
            }
            return "its newest quote is from \(newest.quote.timestamp.text)"
        } catch {
            return error.problem
        }
    }
}
