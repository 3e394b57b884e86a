import PipeCommon

/// The terminal of standard output. If possible, it is opened again, so that writing to it never blocks and keys can be
/// read even if standard output is write-only.
struct TerminalDevice {
    let descriptor: Int32
    /// Whether keys can be read.
    let hasKeys: Bool

    init() {
        let own = Self.open()
        descriptor = own ?? STDOUT_FILENO
        // If standard input is a terminal, the text typed there must be read as records, not as keys.
        hasKeys = own != nil && isatty(STDIN_FILENO) == 0
    }

    /// - Returns: nil if the terminal cannot be opened, for example for lack of permission.
    private static func open() -> Int32? {
        let paths = [terminalName(of: STDOUT_FILENO), "/dev/tty"].compactMap { $0 }
        let isControlling = tcgetpgrp(STDOUT_FILENO) != -1
        for path in paths where isControlling || path != "/dev/tty" {
            let descriptor = openFile(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
            if descriptor != nil { return descriptor }
        }
        return nil
    }

    var size: ScreenSize { ScreenSize(of: descriptor) }

    /// Whether this job is in the foreground of the terminal. Always true if the terminal is not the controlling
    /// terminal of this session.
    var isForeground: Bool {
        let group = tcgetpgrp(descriptor)
        return group == getpgrp() || group == -1 && errno == ENOTTY
    }

    /// Whether the terminal accepts output, or has failed, by the deadline. By default, the deadline is now.
    func isWritable(by deadline: Deadline = Deadline(in: .zero)) -> Bool {
        wait(for: descriptor, POLLOUT, until: deadline)
    }

    /// Resumes the output after Ctrl-S if this job is in the foreground. `TCOOFF` comes first, because `TCOON` on Linux
    /// resumes only output that `TCOOFF` has suspended.
    func resumeOutput() {
        guard isForeground else { return }
        tcflow(descriptor, TCOOFF)
        tcflow(descriptor, TCOON)
    }

    /// - Returns: the number of bytes that the terminal has accepted.
    func write(_ bytes: [UInt8]) throws(StreamError) -> Int {
        let count = writeBytes(descriptor, bytes.span)
        guard count == -1 else { return count }
        switch errno {
        case EAGAIN, EINTR: return 0
        case EIO: throw .readerGone
        case let number: throw .outputFailed(errno: number)
        }
    }
}

extension ScreenSize {
    /// The maximum number of columns and of rows.
    static let most = 1000

    /// The size of a terminal, but at most `most` columns and rows. If the width is unknown, the size is 80 by 24. If
    /// only the height is unknown, it counts as 24 rows.
    init(of descriptor: Int32) {
        let window = windowSize(of: descriptor)
        columns = min(Self.most, window.map { Int($0.ws_col) } ?? 80)
        rows = min(Self.most, window.map { Int($0.ws_row) }.flatMap { $0 > 0 ? $0 : nil } ?? 24)
    }
}
