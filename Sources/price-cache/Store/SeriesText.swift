import PipeCommon

/// The content of a file. It is written as one stored quote per line, each with a checksum. Pure.
enum SeriesText {
    static func bytes(of series: QuoteSeries) -> [UInt8] {
        series.quotes.flatMap { Checksum.added(to: $0.line) + [UInt8(ascii: "\n")] }
    }

    /// Reads the usable quotes: in a candle file, the quotes in the valid lines (at most one quote per candle); in any
    /// other file, the single quote that makes up the whole file.
    ///
    /// - Returns: the quotes, and the problem with the first invalid line (nil if all lines are valid).
    /// - Throws: an error if there is no usable quote.
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
        // Several lines may contain quotes of the same candle. Of these quotes, the first final close is kept; if none
        // is final, the newest quote is kept.
        series.merge(quotes, at: quotes.map(\.quote.timestamp).max()!)
        return (series, problem.map { "line \($0.line): \($0.reason)" })
    }

    /// The subject of the first valid quote in a file; nil if the file contains no valid quote. First, the whole file
    /// is tried as a single quote, which may span several lines. If that fails, the lines are tried in order.
    static func subject(in bytes: [UInt8]) -> Subject? {
        ([bytes[...]] + bytes.split(separator: UInt8(ascii: "\n"))).lazy
            .filter { Checksum.allows(Array($0)) }
            .compactMap { try? StoredQuote(line: $0).subject }.first
    }

    private static func quote(
        in line: some Collection<UInt8>, of subject: Subject
    ) throws(InvalidInput) -> StoredQuote {
        let line = Array(line)
        let stored = try StoredQuote(line: line)
        guard Checksum.allows(line) else { throw InvalidInput("checksum mismatch") }
        let held = stored.subject
        guard held.symbol == subject.symbol else {
            throw InvalidInput("it contains a quote for \(held.symbol.text)")
        }
        guard held.candle == subject.candle else {
            let kind = held.candle.map { "a \($0.rawValue) candle" } ?? "a quote that is not from a candle"
            throw InvalidInput("it contains \(kind)")
        }
        return stored
    }
}

/// The checksum of a stored line. It is the last member of the line: `…,"check":"1c291ca3"}`. The checksum usually
/// reveals damage, for example if a failing disk has changed a digit of a price. A line without a checksum is also
/// accepted, because a user may have written it by hand.
enum Checksum {
    private static let opening = Array(#","check":""#.utf8)
    private static let closing = Array(#""}"#.utf8)
    private static let digits = 8
    private static let whitespace = Array(" \t\r\n".utf8)
    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// - Parameter line: a JSON object.
    static func added(to line: [UInt8]) -> [UInt8] {
        line[..<(line.count - 1)] + opening + text(line) + closing
    }

    /// False if the line ends with a wrong checksum in the form that `added(to:)` writes; otherwise true.
    static func allows(_ line: [UInt8]) -> Bool {
        let end = line[..<(line.lastIndex { !whitespace.contains($0) }.map { $0 + 1 } ?? 0)]
        let tail = Array(end.suffix(opening.count + digits + closing.count))
        guard tail.starts(with: opening), tail.suffix(closing.count).elementsEqual(closing) else {
            return true
        }
        let checked = end.dropLast(tail.count) + [UInt8(ascii: "}")]
        return tail.dropFirst(opening.count).prefix(digits).elementsEqual(text(Array(checked)))
    }

    private static func text(_ bytes: [UInt8]) -> [UInt8] {
        let crc = crc32(bytes)
        return (1...digits).map { hexadecimal[Int(crc >> (4 * (digits - $0)) & 0xF)] }
    }

    /// CRC-32 as in ISO 3309, gzip and PNG. A single flipped bit always changes the checksum.
    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
    }

    /// The CRC remainder of each byte value.
    private static let table = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
}
