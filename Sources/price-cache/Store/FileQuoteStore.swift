import PipeCommon

/// Keeps each series of quotes in a file. The file is replaced by its draft in one step, so that a reader finds either
/// the old quotes or the new ones, whatever is killed at whatever moment.
struct FileQuoteStore: QuoteStore {
    let location: StoreLocation
    private let files = LoadedFiles()

    init(location: StoreLocation) {
        self.location = location
    }

    func load(_ name: Subject) throws(StoreError) -> LoadedSeries? {
        guard let path = location.path(of: name) else { return nil }
        return try files.series(at: path) {
            Result { () throws(StoreError) in try contents(of: name, at: path) }
        }
    }

    func save(_ series: QuoteSeries) throws(StoreError) {
        guard let path = location.path(of: series.name) else {
            throw StoreError(reason: "cannot store quotes: no home directory")
        }
        if merged(series) == nil { return }
        location.makeDirectory()
        let draft = try Draft(of: path)
        // Another writer may have been faster.
        guard let merged = merged(series) else { return }
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw StoreError(cannot: "write", path, "not a regular file")
        }
        try draft.commit(SeriesText.bytes(of: merged))
    }

    func sweep() {
        for path in location.filesWithDraft { Draft.sweep(path) }
        moveFormerCandles()
    }

    /// What is to be stored; nil when that is stored already. What cannot be used is replaced.
    private func merged(_ series: QuoteSeries) -> QuoteSeries? {
        let stored = try? load(series.name)
        var merged = stored?.series ?? QuoteSeries(series.name)
        merged.merge(series.quotes, at: .now())
        return stored?.series == merged && stored?.problem == nil ? nil : merged
    }

    private func contents(of name: Subject, at path: String) throws(StoreError) -> LoadedSeries? {
        guard let bytes = try Self.bytes(at: path, candle: name.candle) else { return nil }
        do throws(InvalidInput) {
            let (series, problem) = try SeriesText.series(name, in: bytes)
            return LoadedSeries(
                series: series, problem: problem.map { StoreError(cannot: "use all of", path, $0) })
        } catch {
            throw StoreError(cannot: "use", path, error.reason)
        }
    }

    /// - Returns: nil when there is no file.
    static func bytes(at path: String, candle: Candle?) throws(StoreError) -> [UInt8]? {
        // A line has at most some 500 bytes.
        let maxSize = candle == nil ? 4096 : 1 << 20
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .failed("read", path, errno)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(cannot: "read", path, "not a regular file")
        }
        guard status.st_size < maxSize else {
            throw StoreError(cannot: "use", path, "too large for \(candle == nil ? "a quote" : "candles")")
        }
        var size = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
            size = buffer.isEmpty ? 0 : read(file, buffer.baseAddress, buffer.count)
            count = max(0, size)
        }
        guard size >= 0 else { throw .failed("read", path, errno) }
        return bytes
    }
}
