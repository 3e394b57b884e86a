import PipeCommon

/// Keeps each series of quotes in a file. The draft replaces the file atomically, so a reader finds either
/// the old quotes or the new ones, even if a program is killed at any moment. Only a file that could be read
/// is replaced.
struct FileQuoteStore: QuoteStore {
    let location: StoreLocation
    private let files = LoadedFiles()

    init(location: StoreLocation) {
        self.location = location
    }

    func load(_ subject: Subject) throws(StoreError) -> LoadedSeries? {
        guard let path = location.path(of: subject) else { return nil }
        return try load(subject, at: path)
    }

    func save(_ series: QuoteSeries) throws(StoreError) {
        guard let path = location.path(of: series.subject) else {
            throw StoreError(reason: "cannot store quotes: no home directory")
        }
        do throws(StoreError) { try replace(path, by: series) } catch {
            // If everything is already stored, the directory need not be writable.
            if try merged(series, at: path) == nil { return }
            // Also if another program has created it since.
            guard error.cause == .lasting, location.makeDirectory() else { throw error }
            try replace(path, by: series)
        }
    }

    private func replace(_ path: String, by series: QuoteSeries) throws(StoreError) {
        var draft = try Draft(of: path)
        guard let merged = try merged(series, at: path) else { return }
        if let stamp = try draft.commit(SeriesText.bytes(of: merged)) { files.record(merged, stamp) }
    }

    private func load(_ subject: Subject, at path: String) throws(StoreError) -> LoadedSeries? {
        try files.series(subject, at: path) { () throws(StoreError) in
            try contents(of: subject, at: path)
        }
    }

    func sweep() {
        for path in location.filesWithDraft { Draft.sweep(path) }
        for (path, candle) in location.formerCandleFiles { moveFormerCandles(path, candle) }
    }

    /// - Returns: the series to store; nil if it is already stored.
    /// - Throws: if the stored file may be usable, but cannot be read.
    private func merged(_ series: QuoteSeries, at path: String) throws(StoreError) -> QuoteSeries? {
        var stored: LoadedSeries?
        do throws(StoreError) { stored = try load(series.subject, at: path) } catch {
            guard error.cause == .damaged else {
                throw StoreError(cannot: "write", path, error.problem, error.cause)
            }
        }
        var merged = stored?.series ?? QuoteSeries(series.subject)
        merged.merge(series.quotes, at: .now())
        return stored?.series == merged && stored?.problem == nil ? nil : merged
    }

    /// Moves candles that an earlier version stored as `BTC-USD.1d.json`, a name that may also belong to a
    /// quote.
    private func moveFormerCandles(_ path: String, _ candle: Candle) {
        guard let bytes = (try? Self.bytes(at: path, candle: candle)) ?? nil,
            let symbol = SeriesText.symbol(in: bytes),
            let candles = try? SeriesText.series(Subject(symbol, candle), in: bytes).series,
            (try? save(candles)) != nil
        else { return }
        deleteFile(path)
    }

    private func contents(of subject: Subject, at path: String) throws(StoreError) -> LoadedSeries? {
        guard let bytes = try Self.bytes(at: path, candle: subject.candle) else { return nil }
        do throws(InvalidInput) {
            let (series, problem) = try SeriesText.series(subject, in: bytes)
            return LoadedSeries(
                series: series, problem: problem.map { StoreError(cannot: "use all of", path, $0, .damaged) })
        } catch {
            let isOurs = SeriesText.symbol(in: bytes).map { $0 == subject.symbol } ?? true
            throw StoreError(cannot: "use", path, error.reason, isOurs ? .damaged : .foreign)
        }
    }

    /// - Returns: nil if there is no file.
    static func bytes(at path: String, candle: Candle?) throws(StoreError) -> [UInt8]? {
        // A line has at most about 500 bytes.
        let maxSize = candle == nil ? 4096 : 1 << 20
        let file = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .failed("read", path, errno)
        }
        defer { close(file) }
        guard let status = fileStatus(file) else { throw .failed("read", path, errno) }
        guard status.st_size < maxSize else {
            let problem = "too large for \(candle == nil ? "a quote" : "candles")"
            throw StoreError(cannot: "use", path, problem, .damaged)
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        if bytes.isEmpty { return bytes }
        let count = try? readBytes(file, into: &bytes, bytes.indices)
        guard count == bytes.count else { throw .failed("read", path, count == nil ? errno : EIO) }
        return bytes
    }
}
