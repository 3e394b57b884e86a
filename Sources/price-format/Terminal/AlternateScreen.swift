import PipeCommon

/// The terminal's alternate screen. It is entered with the first frame, and left at the end and whenever the
/// program stops; what the user had on the terminal is then visible again.
struct AlternateScreen {
    private enum Code {
        /// The alternate screen, without a cursor and without wrapping. The title is saved.
        static let enter = "\u{1B}[22;2t\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
        static let leave = "\u{1B}[?2026l\u{1B}[r\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l\u{1B}[23;2t"
    }

    /// How long leaving waits for a terminal that takes no output.
    private static let patience = Duration.milliseconds(300)

    private let terminal = TerminalDevice()
    private var modes: TerminalModes?
    private var isEntered = false
    /// What the terminal shows; nil when that is not known.
    private var shown: (frame: Frame, size: ScreenSize)?
    private var unwritten: [UInt8] = []

    var descriptor: Int32 { terminal.descriptor }

    /// Events for which `poll` is to watch `descriptor`.
    var events: Int16 {
        Int16((readsKeys ? POLLIN : 0) | (unwritten.isEmpty ? 0 : POLLOUT))
    }

    /// The bytes of the keys that were typed.
    func keys() throws(StreamError) -> [UInt8] {
        readsKeys ? try readAvailable(descriptor) ?? [] : []
    }

    /// The key that stops the job; nil while it is a signal.
    var suspendKey: UInt8? { modes?.suspendKey }

    private var readsKeys: Bool { modes != nil && terminal.isForeground }

    /// Draws a frame over the last one, with one write. Nothing is drawn while another job has the terminal,
    /// or while it takes no output (Ctrl-S).
    mutating func draw(_ frame: (ScreenSize) -> Frame) throws(StreamError) {
        guard terminal.isForeground else { return }
        try flush()
        guard unwritten.isEmpty, terminal.isWritable() else { return }
        takeKeys()
        if !isEntered { enter() }
        let size = terminal.size
        let frame = frame(size)
        let isKnown = shown?.size == size
        let update = frame.update(from: isKnown ? shown?.frame : nil)
        if !update.isEmpty {
            unwritten +=
                "\(isKnown ? "" : Margins.keepLastRow(of: size))\(update)\(Margins.lastRow(of: frame, size))"
                .utf8
        }
        shown = (frame, size)
        try flush()
    }

    /// From here on keys are read and not echoed, also before there is anything to show.
    mutating func takeKeys() {
        guard modes == nil, terminal.hasKeys, terminal.isForeground else { return }
        modes = TerminalModes(of: descriptor)
        TerminalRescue.arm(descriptor, "", modes)
        modes?.set()
    }

    private mutating func enter() {
        TerminalRescue.arm(descriptor, Code.leave, modes)
        unwritten += Code.enter.utf8
        isEntered = true
    }

    var size: ScreenSize { terminal.size }

    /// Forgets what the terminal shows, so that everything is drawn again.
    mutating func forget() {
        shown = nil
    }

    mutating func leave() {
        if isEntered {
            unwritten += Code.leave.utf8
            if !terminal.isWritable() { terminal.resumeOutput() }
            let deadline = Deadline(in: Self.patience)
            while (try? flush()) != nil, !unwritten.isEmpty, terminal.isWritable(by: deadline) {}
        }
        modes?.restore()
        TerminalRescue.disarm()
        (modes, shown, unwritten, isEntered) = (nil, nil, [], false)
    }

    private mutating func flush() throws(StreamError) {
        if !unwritten.isEmpty { unwritten.removeFirst(try terminal.write(unwritten)) }
    }
}
