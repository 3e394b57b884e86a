import PipeCommon

/// The text of a file or a pipe, without its byte order mark. If the file cannot be read or is larger than 1 MiB,
/// prints a warning and returns an empty text.
func textOfFile(_ path: String, _ diagnostics: Diagnostics) -> String {
    do throws(StreamError) {
        let bytes = try contentsOfFile(path)
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return String(decoding: bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...], as: UTF8.self)
    } catch {
        diagnostics.warning("cannot read \(path): \(systemMessage(error.number))")
        return ""
    }
}

private func contentsOfFile(_ path: String) throws(StreamError) -> [UInt8] {
    guard let file = openFile(path, O_RDONLY | O_CLOEXEC) else { throw .inputFailed(errno: errno) }
    defer { close(file) }
    var bytes: [UInt8] = []
    while let piece = try readAvailable(file), !piece.isEmpty {
        bytes += piece
        if bytes.count > 1 << 20 { throw .inputFailed(errno: EFBIG) }
    }
    return bytes
}
