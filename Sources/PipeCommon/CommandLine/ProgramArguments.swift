/// The words after the program's name.
///
/// Swift's own list is empty on Linux when a preloaded library has changed the environment before it is made, as
/// libfaketime does. So the system is asked where it can be.
func programArguments() -> [String] {
    let file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return Array(CommandLine.arguments.dropFirst()) }
    defer { close(file) }
    var words: [UInt8] = []
    while let more = try? readAvailable(file), !more.isEmpty { words += more }
    // Each word ends with a zero.
    let texts = words.dropLast().split(separator: 0, omittingEmptySubsequences: false)
    return texts.dropFirst().map { String(decoding: $0, as: UTF8.self) }
}
