import PipeCommon

/// The text of a file or a pipe, without its byte order mark. If the file cannot be read or is larger than 1 MiB,
/// prints a warning and returns an empty text.
func textOfFile(_ path: String, _ diagnostics: Diagnostics) -> String {
    let longest = 1 << 20
    let file = openFile(path, O_RDONLY | O_CLOEXEC)
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
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if number == 0 {
        return String(decoding: bytes.starts(with: mark) ? bytes[mark.count...] : bytes[...], as: UTF8.self)
    }
    diagnostics.warning("cannot read \(path): \(systemMessage(number))")
    return ""
}
