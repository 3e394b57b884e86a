import PipeCommon

/// Deletes stored files that are unusable or too old, removes unusable lines from the other files, and prints one line
/// for each deleted or repaired file. However, a file is reported and kept if it cannot be read or changed, or if it is
/// unusable and its first valid quote belongs to another subject. Drafts that killed programs have left behind are also
/// deleted, but no line is printed for them.
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

    /// Runs a function. If it fails, reports the failure, sets the exit status and returns nil.
    private func attempt<Value>(
        _ act: () throws(StoreError) -> Value, _ status: inout ExitStatus
    ) -> Value? {
        do throws(StoreError) { return try act() } catch {
            diagnostics.error(error.reason)
            status = .streamFailed
            return nil
        }
    }

    /// - Returns: a description of the change to the file; nil if the file was not changed.
    private func tidy(_ file: StoreLocation.File) throws(StoreError) -> String? {
        guard let subject = try subject(of: file) else { return nil }
        if let reason = try delete(file.path, subject) { return "deleted \(file.path): \(reason)" }
        guard let loaded = try store.load(subject), let problem = loaded.problem else { return nil }
        try store.save(loaded.series)
        return "repaired \(file.path): \(problem.problem)"
    }

    /// The subject of a file. If neither the file's name nor its content determines the symbol, the file does not
    /// contain any usable quote, so the symbol does not matter.
    ///
    /// - Returns: nil if `file.symbol` is nil and the file does not exist.
    private func subject(of file: StoreLocation.File) throws(StoreError) -> Subject? {
        if let symbol = file.symbol { return Subject(symbol, file.candle) }
        guard try FileStamp(of: file.path) != nil,
            let (bytes, _) = try FileQuoteStore.bytes(at: file.path, candle: file.candle)
        else { return nil }
        return Subject(SeriesText.subject(in: bytes)?.symbol ?? .bitcoin, file.candle)
    }

    /// Deletes a file if there is a reason to do so. The reason is checked again while the draft is locked, so that no
    /// other price-cache can replace the file between the check and the deletion.
    ///
    /// - Returns: the reason for the deletion; nil if the file was kept.
    private func delete(_ path: String, _ subject: Subject) throws(StoreError) -> String? {
        guard try reasonToDelete(subject) != nil else { return nil }
        let draft = try Draft(of: path, to: "delete")
        let reason = try reasonToDelete(subject)
        let number = reason == nil || deleteFile(path) ? 0 : errno
        draft.discard()
        guard number == 0 else { throw .failed("delete", path, number) }
        return reason
    }

    private func reasonToDelete(_ subject: Subject) throws(StoreError) -> String? {
        do throws(StoreError) {
            let (series, now) = (try store.load(subject)?.series, Timestamp.now())
            // A quote from the future does not indicate how old the file is.
            let newest = series?.quotes.last { !Recency.isFromFuture($0.quote, at: now) } ?? series?.newest
            guard let newest, !ageLimit.allows(newest.quote, at: now) else { return nil }
            return "its newest quote is from \(newest.quote.timestamp.text)"
        } catch {
            guard error.cause == .damaged else { throw error }
            return error.problem
        }
    }
}
