import PipeCommon

extension SymbolNames {
    /// Reads a file of at most a megabyte. An invalid line is reported and skipped. A file that cannot be read is
    /// reported: the board works without names.
    init(readingFrom path: String, _ diagnostics: Diagnostics) {
        let longest = 1 << 20
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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
