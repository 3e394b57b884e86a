import PipeCommon

/// The files as such, whatever they hold.
extension FileQuoteStore {
    /// What a file is about. One that does not name its symbol has no quote at all.
    ///
    /// - Returns: nil when the file is gone.
    func subject(of file: StoreLocation.File) throws(StoreError) -> Subject? {
        if let symbol = file.symbol { return Subject(symbol, file.candle) }
        guard try FileStamp(of: file.path) != nil else { return nil }
        do throws(StoreError) {
            let bytes = try Self.bytes(at: file.path, candle: file.candle) ?? []
            return Subject(SeriesText.symbol(in: bytes) ?? .bitcoin, file.candle)
        } catch {
            guard error.cause == .damaged else { throw error }
            return Subject(.bitcoin, file.candle)
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

    /// Deletes a file for a reason that lasts while no writer replaces the file.
    ///
    /// - Parameter reason: nil for a good file.
    /// - Returns: why it was deleted; nil if it was not.
    func delete(
        _ path: String, because reason: () throws(StoreError) -> String?
    ) throws(StoreError) -> String? {
        guard try reason() != nil else { return nil }
        let draft = try Draft(of: path, to: "delete")
        let reason = try reason()
        let number = reason == nil || unlink(path) == 0 ? 0 : errno
        draft.discard()
        guard number == 0 else { throw .failed("delete", path, number) }
        return reason
    }
}
