import PipeCommon

/// The terminal's alternate screen. It is entered with the first frame of the program and with the first frame after
/// each stop by Ctrl-Z or SIGTSTP. It is left before such a stop and at the end of the program, so that the previous
/// contents of the terminal are visible again. It cannot be left if a signal such as SIGKILL ends the program, or if
/// the terminal does not accept output in time, even after `TerminalDevice.resumeOutput`.
struct AlternateScreen {
    /// The bytes that save the title, enter the alternate screen, hide the cursor and turn off line wrapping.
    private static let entering = "\u{1B}[22;2t\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
    static var leaving: StaticString { "\u{1B}[?2026l\u{1B}[r\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l\u{1B}[23;2t" }

    private static let patience = Duration.milliseconds(300)

    private let terminal = TerminalDevice()
    private var modes: TerminalModes?
    private var isEntered = false
    /// The frame that the terminal shows once `unwritten` is written; nil if everything must be drawn.
    private var shown: Frame?
    private var unwritten: [UInt8] = []

    var descriptor: Int32 { terminal.descriptor }
    var size: ScreenSize { terminal.size }

    /// The events to wait for on `descriptor` with `poll`.
    var events: Int32 {
        (readsKeys ? POLLIN : 0) | (unwritten.isEmpty || !terminal.isForeground ? 0 : POLLOUT)
    }

    /// Reads the bytes of the keys typed since the last call. Returns no bytes while the program does not take keys,
    /// for example while another job is in the foreground.
    func keys() throws(StreamError) -> [UInt8] {
        readsKeys ? try readAvailable(descriptor) ?? [] : []
    }

    /// The byte of the key that stops the job; nil while the program leaves this key to the terminal.
    var suspendKey: UInt8? { modes?.suspendKey }

    private var readsKeys: Bool { modes != nil && terminal.isForeground }

    /// Whether a frame can be drawn now. No frame can be drawn while another job of this session is in the foreground
    /// of the terminal, or while the terminal does not accept output, for example after Ctrl-S.
    mutating func isReady() throws(StreamError) -> Bool {
        guard terminal.isForeground else { return false }
        try flush()
        return unwritten.isEmpty && terminal.isWritable()
    }

    /// Draws a frame over the last frame, with at most one write. If the terminal does not accept all of it, later
    /// calls of `isReady` write the rest.
    mutating func draw(_ frame: Frame) throws(StreamError) {
        if !isEntered {
            TerminalRestorer.willShowScreen(on: terminal)
            unwritten += Self.entering.utf8
            isEntered = true
        }
        unwritten += frame.update(from: shown).utf8
        shown = frame
        try flush()
    }

    /// If possible, starts to read keys and turns off their echo, even before there is anything to show.
    mutating func takeKeys() {
        guard modes == nil, terminal.hasKeys, terminal.isForeground else { return }
        modes = TerminalModes(of: descriptor)
        guard let modes else { return }
        TerminalRestorer.willSet(modes)
        modes.set()
    }

    /// Forgets the contents of the terminal, so that everything is drawn again.
    mutating func forget() {
        shown = nil
    }

    mutating func leave() {
        TerminalRestorer.restore()
        (modes, shown, unwritten, isEntered) = (nil, nil, [], false)
    }

    /// Leaves the screen and writes the last frame as text, or as much of it as the terminal accepts within a short
    /// time. Does nothing if the last frame is not known or another job is in the foreground.
    ///
    /// - Parameter hasKeys: whether the frame ends with the line of keys. If so, this line is left out, because the
    ///   keys no longer work.
    mutating func leaveText(hasKeys: Bool) throws(StreamError) {
        guard isEntered, let frame = shown, terminal.isForeground else { return }
        leave()
        let lines = frame.lines.dropLast(hasKeys ? 1 : 0)
        unwritten = Array(lines.map { $0 + "\n" }.joined().utf8)
        let deadline = Deadline(in: Self.patience)
        while !unwritten.isEmpty, terminal.isWritable(by: deadline) { try flush() }
    }

    private mutating func flush() throws(StreamError) {
        if !unwritten.isEmpty { unwritten.removeFirst(try terminal.write(unwritten)) }
    }
}
