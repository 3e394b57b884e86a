import PipeCommon

/// Names and descriptions of symbols. Each line has a symbol, its name and an optional description, separated by
/// tabs. Blank lines and lines that begin with `#` are skipped. Pure.
struct SymbolNames {
    struct Entry: Equatable {
        let name: String
        let description: String
    }

    private var entries: [Symbol: Entry] = [:]
    /// The numbers of the invalid lines.
    private(set) var badLines: [Int] = []

    init(_ text: String = "") {
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
            entries[symbol] = Entry(
                name: printable(String(fields[1]), atMost: 100),
                description: printable(description, atMost: 1000))
        }
    }

    subscript(symbol: Symbol) -> Entry? { entries[symbol] }
}

extension SymbolNames {
    /// Reads a file of at most a megabyte. An invalid line is reported and skipped. A file that cannot be read is
    /// reported: the board works without names.
    init(readingFrom path: String, _ diagnostics: Diagnostics) {
        let longest = 1 << 20
        let file = openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        defer { if file >= 0 { close(file) } }
        var bytes: [UInt8] = []
        var number = file < 0 ? errno : 0
        do throws(StreamError) {
            while file >= 0, bytes.count <= longest, let piece = try readAvailable(file), !piece.isEmpty {
                bytes += piece
            }
        } catch {
            number = error.number
        }
        if bytes.count > longest { number = EFBIG }
        self.init(number == 0 ? String(decoding: bytes, as: UTF8.self) : "")
        if number != 0 { diagnostics.warning("cannot read \(path): \(systemMessage(number))") }
        for line in badLines.prefix(3) {
            diagnostics.warning(
                "\(path): line \(line): expected a symbol, a name and perhaps a description, separated by tabs"
            )
        }
    }
}
