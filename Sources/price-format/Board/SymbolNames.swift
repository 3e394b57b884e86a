import PipeCommon

/// The names and descriptions of symbols, parsed from text. Each line contains a symbol, its name and an optional
/// description, separated by tabs. Blank lines and lines that begin with `#` are skipped.
struct SymbolNames {
    struct Entry: Equatable {
        let name: String
        let description: String
    }

    private var entries: [Symbol: Entry] = [:]
    /// For each base of a pair, such as `BTC` in `BTC-USD`, the first entry for a pair with this base.
    private var entriesOfBases: [Substring: Entry] = [:]
    /// The numbers of the invalid lines.
    private(set) var badLines: [Int] = []

    init() {}

    init(_ text: String) {
        let newline = UInt8(ascii: "\n")
        for (index, line) in text.utf8.split(separator: newline, omittingEmptySubsequences: false)
            .enumerated()
        {
            let line = Substring(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
            if line.first == "#" || line.allSatisfy({ $0 == " " || $0 == "\t" }) { continue }
            let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count > 1, let symbol = Symbol(String(fields[0])), !fields[1].isEmpty else {
                badLines.append(index + 1)
                continue
            }
            let description = fields.count > 2 ? String(fields[2]) : ""
            let entry = Entry(
                name: printable(String(fields[1]), atMost: 100),
                description: printable(description, atMost: 1000))
            entries[symbol] = entry
            if let base = Self.base(of: symbol), entriesOfBases[base] == nil { entriesOfBases[base] = entry }
        }
    }

    /// The entry for the symbol; if there is none, the first entry for a pair with the same base.
    subscript(symbol: Symbol) -> Entry? {
        entries[symbol] ?? Self.base(of: symbol).flatMap { entriesOfBases[$0] }
    }

    private static func base(of symbol: Symbol) -> Substring? {
        let parts = symbol.text.split(separator: "-")
        return parts.count == 2 && (3...5).contains(parts[1].count) ? parts[0] : nil
    }
}

extension SymbolNames {
    /// Reads a file of at most 1 MiB. Invalid lines are skipped, with a warning for each of the first three. If the
    /// file is larger or cannot be read, a warning is printed, and symbols are shown without names.
    init(readingFrom path: String, _ diagnostics: Diagnostics) {
        self.init(textOfFile(path, diagnostics))
        for line in badLines.prefix(3) {
            diagnostics.warning(
                "\(path): line \(line): expected a symbol, a name and, optionally, a description, separated by tabs"
            )
        }
    }
}
