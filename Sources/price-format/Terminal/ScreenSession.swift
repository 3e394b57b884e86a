import PipeCommon

/// Shows readings on the alternate screen: one thread, one `poll`. The screen is redrawn after each input, once a
/// second, after a change of its size and when the job continues; it is left before the job stops
/// and before the program ends.
struct ScreenSession: ~Copyable {
    /// Readings that arrive one after another within this time are drawn together.
    private static let shortestFrame = Duration.milliseconds(20)

    private let layout: any ScreenLayout
    private var readings: RecordReader<Reading>
    private var board = Board()
    private var screen = AlternateScreen()
    private var hasQuit = false
    /// When the next frame may be drawn at the earliest for readings, and when one is due; nil while nothing has changed.
    private var nextFrame = Deadline.Instant.now
    private var due: Deadline.Instant?

    init(_ layout: any ScreenLayout, diagnostics: Diagnostics) {
        self.layout = layout
        readings = RecordReader(diagnostics: diagnostics)
    }

    mutating func run() throws -> ExitStatus {
        let signals = try SignalPipe(SIGTSTP, SIGCONT, SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGQUIT)
        TerminalRescue.watchSignals()
        defer { screen.leave() }
        while !readings.hasEnded, !hasQuit {
            try waitAndRead(signals)
            while let reading = readings.next() {
                board.record(reading)
                due = min(due ?? nextFrame, nextFrame)
            }
            while let signal = signals.next() {
                handle(signal, signals)
                due = .now
            }
            if due.map({ Deadline($0).hasPassed() }) ?? false { try draw() }
        }
        if due != nil, !hasQuit { try draw() }
        return readings.status
    }

    private mutating func waitAndRead(_ signals: SignalPipe) throws(StreamError) {
        var polled = [
            pollfd(fd: readings.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: screen.descriptor, events: screen.events, revents: 0),
            pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&polled, nfds_t(polled.count), timeout) > 0 else {
            due = due ?? .now
            return
        }
        if readerIsGone(polled[1]) { throw .readerGone }
        if polled[0].revents != 0 { try readings.read() }
        if polled[1].revents & Int16(POLLIN) != 0 { press(try screen.keys()) }
        if polled[1].revents & Int16(POLLOUT) != 0 { due = .now }
    }

    private var timeout: Int32 {
        if let due { return Deadline(due).pollTimeout }
        if board.rows.isEmpty { return -1 }
        let now = Timestamp.now()
        return Int32(clamping: board.nextChange(after: now).milliseconds - now.milliseconds)
    }

    private mutating func press(_ keys: [UInt8]) {
        due = .now
        // The rest of an escape sequence is not what a person has typed.
        for key in keys.prefix(while: { $0 != 0x1B }) {
            if key == UInt8(ascii: "q") { hasQuit = true }
            // The whole job, as the terminal would.
            if key == screen.suspendKey { stop(0) }
        }
    }

    private mutating func handle(_ signal: Int32, _ signals: SignalPipe) {
        switch signal {
        case SIGCONT, SIGWINCH: break
        case SIGTSTP:
            screen.leave()
            let next = signals.next()
            // If SIGCONT has arrived already, stopping now would never end.
            if next != SIGCONT { stop(getpid()) }
            if let next { handle(next, signals) }
        default:
            screen.leave()
            TerminationSignal(number: signal).takeEffect()
        }
    }

    /// Returns when the job continues; immediately if there is no shell that could continue it.
    private mutating func stop(_ process: pid_t) {
        screen.leave()
        let handler = signal(SIGTSTP, SIG_DFL)
        kill(process, SIGTSTP)
        signal(SIGTSTP, handler)
    }

    private mutating func draw() throws(StreamError) {
        due = nil
        if board.rows.isEmpty { return }
        let now = Timestamp.now()
        try screen.draw { [layout, board] size in
            Frame(lines: layout.lines(board, at: now, size), title: layout.title(board, at: now))
        }
        nextFrame = .now + Self.shortestFrame
    }
}
