import PipeCommon

/// The terminal's second screen: entered with the first frame and left at the end and at each stop, so that what the
/// user had there is there again.
struct AlternateScreen {
    private enum Code {
        /// Its second screen, without cursor and without wrapping.
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

    /// Draws over what is there, with one write. Nothing is drawn while another job has the terminal, or while its
    /// output is held.
    mutating func draw(_ lines: (ScreenView.Size) -> [String]) throws(StreamError) {
        guard isOurs, isWritable else { return }
        let frame = lines(size).map { $0 + Code.clearRestOfLine }.joined(separator: "\r\n")
        try write((isEntered ? "" : Code.enter) + Code.home + frame + Code.clearRest)
        isEntered = true
    }

    mutating func leave() {
        if isEntered { try? write(Code.leave) }
        isEntered = false
    }

    private var size: ScreenView.Size {
        var window = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return ScreenView.Size(columns: 80, rows: 24)
        }
        return ScreenView.Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    private var isOurs: Bool { tcgetpgrp(descriptor) == getpgrp() }

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
