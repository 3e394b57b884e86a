import PipeCommon

/// The text of a file: one stored quote per line, each with a checksum. Pure.
enum SeriesText {
    static func bytes(of series: QuoteSeries) -> [UInt8] {
        series.quotes.flatMap { Checksum.added(to: $0.line) + [UInt8(ascii: "\n")] }
    }

    /// The quotes that can be used: of candles the good lines, otherwise the only line.
    ///
    /// - Returns: also what is wrong with the first bad line.
    /// - Throws: if nothing can be used.
    static func series(_ subject: Subject, in bytes: [UInt8]) throws(InvalidInput) -> (
        series: QuoteSeries, problem: String?
    ) {
        guard subject.candle != nil else { return (QuoteSeries(try quote(in: bytes, of: subject)), nil) }
        var quotes: [StoredQuote] = []
        var problem: (line: Int, reason: String)?
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.isEmpty {
            do throws(InvalidInput) { quotes.append(try quote(in: line, of: subject)) } catch {
                problem = problem ?? (index + 1, error.reason)
            }
        }
        if quotes.isEmpty { throw InvalidInput(problem?.reason ?? "it is empty") }
        var series = QuoteSeries(subject)
        // Not even a later line changes a closed candle. Other doubles are decided by their own times.
        series.merge(quotes, at: quotes.map(\.quote.timestamp).max()!)
        return (series, problem.map { "line \($0.line): \($0.reason)" })
    }

    /// The symbol of the first good line.
    static func symbol(in bytes: [UInt8]) -> Symbol? {
        bytes.split(separator: UInt8(ascii: "\n")).lazy
            .filter { Checksum.allows(Array($0)) }
            .compactMap { try? StoredQuote(line: $0).key.subject.symbol }.first
    }

    private static func quote(
        in line: some Collection<UInt8>, of subject: Subject
    ) throws(InvalidInput) -> StoredQuote {
        let line = Array(line)
        let stored = try StoredQuote(line: line)
        guard Checksum.allows(line) else { throw InvalidInput("checksum mismatch") }
        let held = stored.key.subject
        guard held.symbol == subject.symbol else {
            throw InvalidInput("it holds a quote for \(held.symbol.text)")
        }
        guard held.candle == subject.candle else { throw InvalidInput("it holds another kind of quote") }
        return stored
    }
}
