import PipeCommon

/// The terminal's alternate screen. It is entered with the first frame, and left at the end and whenever the
/// program stops; what the user had on the terminal is then visible again.
struct AlternateScreen {
    private enum Code {
        /// The alternate screen, without a cursor and without wrapping.
        static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
        static let leave = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
        static let home = "\u{1B}[H"
        static let clearRestOfLine = "\u{1B}[K"
        static let clearRest = "\u{1B}[J"
    }

    private let descriptor: Int32
    private var isEntered = false

    init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
    }

    /// Draws a frame over the last one, with one write. Nothing is drawn while another job has the terminal,
    /// or while its output is stopped (Ctrl-S).
    mutating func draw(_ lines: (ScreenSize) -> [String]) throws(StreamError) {
        guard isForeground, isWritable else { return }
        let frame = lines(size).map { $0 + Code.clearRestOfLine }.joined(separator: "\r\n")
        try write((isEntered ? "" : Code.enter) + Code.home + frame + Code.clearRest)
        isEntered = true
    }

    mutating func leave() {
        if isEntered { try? write(Code.leave) }
        isEntered = false
    }

    private var size: ScreenSize {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    private var isForeground: Bool { tcgetpgrp(descriptor) == getpgrp() }

    private var isWritable: Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&polled, 1, 0) > 0
    }

    private func write(_ text: String) throws(StreamError) {
        try Array(text.utf8).withUnsafeBufferPointer { (text) throws(StreamError) in
            try LineWriter(descriptor: descriptor).writeAll(UnsafeRawBufferPointer(text))
        }
    }
}
