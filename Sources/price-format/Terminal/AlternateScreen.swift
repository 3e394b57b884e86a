import PipeCommon

/// The terminal's alternate screen. It is entered with the first frame, and left at the end and whenever the
/// program stops; what the user had on the terminal is then visible again.
struct AlternateScreen {
    private enum Code {
        /// The alternate screen, without a cursor and without wrapping. The title is saved.
        static let enter = "\u{1B}[22;2t\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
        static let leave = "\u{1B}[?2026l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l\u{1B}[23;2t"
    }

    private let descriptor: Int32
    private var isEntered = false
    /// What the terminal shows; nil when that is not known.
    private var shown: (frame: Frame, size: ScreenSize)?

    init(descriptor: Int32 = STDOUT_FILENO) {
        self.descriptor = descriptor
    }

    /// Draws a frame over the last one, with one write. Nothing is drawn while another job has the terminal,
    /// or while its output is stopped (Ctrl-S).
    mutating func draw(_ frame: (ScreenSize) -> Frame) throws(StreamError) {
        guard isForeground, isWritable else { return }
        let size = size
        let frame = frame(size)
        let update = frame.update(from: shown?.size == size ? shown?.frame : nil)
        try write((isEntered ? "" : Code.enter) + update)
        (isEntered, shown) = (true, (frame, size))
    }

    mutating func leave() {
        if isEntered { try? write(Code.leave) }
        (isEntered, shown) = (false, nil)
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
