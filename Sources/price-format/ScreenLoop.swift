import PipeCommon

/// Runs a full-screen board in one thread that waits for all events with one `poll`. Once the board has a row, a frame
/// is due after new readings and key presses, at the start of each second, when a flash ends, when the terminal is
/// resized or accepts the rest of a frame, and when the job continues. A frame is skipped if `AlternateScreen.isReady`
/// returns false. The terminal is restored before Ctrl-Z or SIGTSTP stops the job and before the program ends, unless
/// the terminal does not accept output in time, even after `TerminalDevice.resumeOutput`, or a signal such as SIGKILL
/// ends the program.
final class ScreenLoop {
    /// After each frame, readings are collected for at most this long and then drawn together. Frames for keys and
    /// signals are not delayed.
    private static let shortestFrame = Duration.milliseconds(20)

    private var view: BoardView
    private var board: Board
    private var readings: RecordReader<Reading>
    private var screen = AlternateScreen()
    private var parser = KeyParser()
    private let requests: RequestPipe?
    private var hasQuit = false
    /// The earliest time at which new readings alone can cause a frame.
    private var nextFrame = Deadline.Instant.now
    /// When the next frame is due; nil if nothing has made a frame due.
    private var due: Deadline.Instant? = .now

    init(_ view: BoardView, _ board: Board, requests: RequestPipe?, diagnostics: Diagnostics) {
        (self.view, self.board, self.requests) = (view, board, requests)
        self.board.hasClock = requests != nil
        self.board.isRecording = isFile(STDIN_FILENO)
        readings = RecordReader(diagnostics: diagnostics)
    }

    func run() throws -> ExitStatus {
        let signals = try SignalPipe(SIGTSTP, SIGCONT, SIGWINCH)
        TerminalRestorer.watchSignals()
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
        if !hasQuit { try screen.leaveText(hasKeys: BoardFrame.hasKeys(screen.size)) }
        return readings.status
    }

    private func waitAndRead(_ signals: SignalPipe) throws(StreamError) {
        var polled = [
            pollfd(readings.descriptor, POLLIN),
            pollfd(screen.descriptor, screen.events),
            pollfd(signals.descriptor, POLLIN),
            // `poll` reports an error here when no process reads the requests any more, for example because the clock
            // has exited.
            pollfd(requests?.descriptor),
        ]
        if !poll(&polled, until: nextDeadline) { due = due ?? .now }
        if readerIsGone(polled[1]) || readerIsGone(polled[3]) { throw .readerGone }
        if polled[0].isReady { try readings.read() }
        if polled[1].isReady(for: POLLIN) {
            for key in parser.keys(in: try screen.keys()) { press(key) }
        } else if let key = parser.expire() {
            press(key)
        }
        if polled[1].isReady(for: POLLOUT) { due = .now }
    }

    private var nextDeadline: Deadline? {
        if let deadline = [due.map { Deadline($0) }, parser.deadline].compactMap({ $0 }).min() {
            return deadline
        }
        return board.rows.isEmpty ? nil : Deadline(in: board.nextChange(after: .now) + .milliseconds(1))
    }

    private func press(_ key: Key) {
        due = .now
        // Stops the whole job, as the terminal itself would.
        if let suspendKey = screen.suspendKey, key == .byte(suspendKey) { return stop(0) }
        let totals = BoardView.totals(of: board, at: .now, rows: screen.size.rows)
        switch board.press(key, page: BoardFrame(screen.size, totals: totals.count).listed) {
        case .quit: hasQuit = true
        case .redraw: screen.forget()
        case .toggleClock: toggleClock()
        case nil: break
        }
    }

    private func toggleClock() {
        guard let requests else {
            board.choice.notice = "cannot stop the clock: --requests FD is missing"
            return
        }
        if requests.ask(board.isStopped ? "start" : "stop") {
            board.toggleClock()
        } else {
            board.choice.notice = "the clock is not reading requests: \(systemMessage(errno))"
        }
    }

    private func handle(_ signal: Int32, _ signals: SignalPipe) {
        // Draws everything again, even if the size is unchanged: a terminal that was resized twice may have lost lines,
        // and while SIGSTOP stopped this process, another program may have written to the terminal.
        if signal == SIGWINCH || signal == SIGCONT { screen.forget() }
        guard signal == SIGTSTP else { return }
        screen.leave()
        let next = signals.next()
        // If SIGCONT has already arrived, this process must not stop, because no other SIGCONT would arrive to continue
        // it.
        if next != SIGCONT { stop(getpid()) }
        if let next { handle(next, signals) }
    }

    /// Stops this process or the whole job and returns when this process continues. If there is no shell that could
    /// continue this process, returns immediately.
    ///
    /// - Parameter process: the ID of this process, or 0 for all processes of the job.
    private func stop(_ process: pid_t) {
        screen.leave()
        let handler = signal(SIGTSTP, SIG_DFL)
        kill(process, SIGTSTP)
        signal(SIGTSTP, handler)
    }

    private func draw() throws(StreamError) {
        due = nil
        screen.takeKeys()
        if board.rows.isEmpty { return }
        if let requests {
            board.wantsMonths = screen.size.columns >= BoardColumns.leastForMonths
            board.wantsDays = view.hasDays
            for request in board.takeRequests(at: .now) { _ = requests.ask(request) }
        }
        board.arrange()
        if try screen.isReady() { try screen.draw(view.frame(of: board, at: .now, screen.size)) }
        nextFrame = .now + Self.shortestFrame
    }
}
