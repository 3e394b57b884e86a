import PipeCommon

/// The files as such, whatever they hold.
extension FileQuoteStore {
    /// The files that are stored now. A file that does not name its symbol has no quote at all.
    func storedFiles() throws(StoreError) -> [(path: String, name: Subject)] {
        try location.files().map { path, symbol, candle in
            let bytes = symbol == nil ? try? Self.bytes(at: path, candle: candle) : nil
            return (path, Subject(symbol ?? bytes.flatMap(SeriesText.symbol) ?? .bitcoin, candle))
        }
    }

    /// Moves candles that an earlier version has stored as `BTC-USD.1d.json`, a name that a quote may have as well.
    func moveFormerCandles() {
        for (path, candle) in location.formerCandleFiles {
            guard let bytes = (try? Self.bytes(at: path, candle: candle)) ?? nil,
                let symbol = SeriesText.symbol(in: bytes),
                let candles = try? SeriesText.series(Subject(symbol, candle), in: bytes).series,
                (try? save(candles)) != nil
            else { continue }
            unlink(path)
        }
    }

    /// Deletes a file, unless a writer has replaced it by a good one meanwhile.
    ///
    /// - Parameter problem: why it is to be deleted; nil for a good file.
    /// - Returns: why it was deleted; nil if it was not.
    func delete(_ path: String, because problem: () -> String?) throws(StoreError) -> String? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        // Something else in the place of a file of ours is not ours.
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw StoreError(cannot: "delete", path, "not a regular file")
        }
        let draft = try Draft(of: path, to: "delete")
        let problem = problem()
        let number = problem == nil || unlink(path) == 0 ? 0 : errno
        draft.discard()
        guard number == 0 else { throw .failed("delete", path, number) }
        return problem
    }
}
