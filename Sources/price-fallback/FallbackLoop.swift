import PipeCommon

/// Hands ticks, readings and the time to the policy, and carries out its decisions: one thread, one `poll`.
struct FallbackLoop: ~Copyable {
    /// If `poll` returns this late, the process or the machine was suspended.
    private static let suspension = Duration.seconds(1)
    /// The maximum number of unanswered ticks, for three beats of 10,000 symbols. Further input is left unread.
    private static let maxPending = 32_768
    /// The time that the sources have to exit after their input is closed.
    private static let gracePeriod = Duration.milliseconds(100)

    private var policy: FallbackPolicy
    private var sources: [SupervisedSource]
    private var errors: SourceErrors
    private var input: RecordReader<Tick>
    private var numbering = TickNumbering()
    private var output: ReadingWriter

    init(_ options: FallbackOptions, diagnostics: Diagnostics) throws(SystemError) {
        let errors = try SourceErrors(diagnostics: diagnostics)
        self.errors = errors
        policy = FallbackPolicy(
            names: options.names, limits: options.patience, trip: options.trip, agree: options.agree)
        sources = zip(options.commands, options.names).map { command, name in
            SupervisedSource(command: command, name: name, errors: errors.input, diagnostics: diagnostics)
        }
        input = RecordReader(diagnostics: diagnostics)
        output = ReadingWriter(diagnostics: diagnostics)
    }

    /// - Throws: a `StreamError`, or a `TerminationSignal`.
    mutating func run() throws -> ExitStatus {
        let signals = try TerminationSignal.watch()
        defer { endSources() }
        while true {
            for index in sources.indices { sources[index].startIfDue(at: .now) }
            try handle([])
            try handleTicks()
            if input.hasEnded, policy.pendingCount == 0 {
                try output.finish()
                try TerminationSignal.check()
                return input.status
            }
            try output.flush()
            try waitAndRead(signals.descriptor)
        }
    }

    /// Hands ticks to the policy until none is left in memory, or too many are pending.
    private mutating func handleTicks() throws(StreamError) {
        var ticks: [FallbackPolicy.Event]
        repeat {
            let room = Self.maxPending - policy.pendingCount
            ticks = []
            while ticks.count < room, let tick = input.next() {
                ticks.append(.tick(numbering.complete(tick, at: .now())))
            }
            if !ticks.isEmpty { try handle(ticks) }
        } while !ticks.isEmpty
    }

    private mutating func handle(_ events: [FallbackPolicy.Event]) throws(StreamError) {
        var events = events
        repeat {
            let now = Deadline.Instant.now
            let actions = policy.handle(events, at: now)
            events = []
            for action in actions {
                switch action {
                case .answer(let reading): try output.add(reading)
                case .restart(let source, let message): sources[source].end(because: message)
                case .ask(let source, var tick):
                    // A candle is asked for by its own time.
                    if tick.candle == nil { tick.at = .now() }
                    sources[source].ask(tick, at: now)
                }
            }
            for source in sources.indices {
                if let problem = sources[source].send(at: now) {
                    events.append(.lost(source, message: problem))
                }
            }
        } while !events.isEmpty
    }

    /// Waits for ticks, readings, a signal or the next deadline, and reads what has arrived.
    private mutating func waitAndRead(_ signals: Int32) throws {
        let running = sources.indices.filter { sources[$0].readings != nil }
        let full = sources.compactMap(\.room)
        let wantsTicks = input.isOpen && policy.pendingCount < Self.maxPending
        var descriptors =
            [
                // `poll` ignores negative descriptors.
                pollfd(fd: wantsTicks ? input.descriptor : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: errors.output, events: Int16(POLLIN), revents: 0),
            ] + running.map { pollfd(fd: sources[$0].readings!, events: Int16(POLLIN), revents: 0) }
            + full.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
        let (timeout, start) = (nextDeadline?.pollTimeout ?? -1, Deadline.Instant.now)
        let ready = poll(&descriptors, nfds_t(descriptors.count), timeout)
        try TerminationSignal.check()
        let late = Deadline.Instant.now - start - .milliseconds(Int(timeout))
        if timeout >= 0, late > Self.suspension { policy.postponeDeadlines(by: late) }
        guard ready > 0 else { return }
        if readerIsGone(descriptors[1]) { throw StreamError.readerGone }
        // First, so that what a source has reported precedes our report of its end.
        if descriptors[3].revents != 0 { errors.passOn() }
        for (source, descriptor) in zip(running, descriptors[4...]) where descriptor.revents != 0 {
            try handle(answers(of: source))
        }
        if descriptors[0].revents != 0 { try input.read() }
    }

    private mutating func answers(of source: Int) -> [FallbackPolicy.Event] {
        sources[source].readAnswers().map { output in
            switch output {
            case .reading(let reading): .reading(reading, from: source)
            case .lost(let message): .lost(source, message: message)
            }
        }
    }

    private var nextDeadline: Deadline? {
        mutating get { (sources.compactMap(\.nextStart) + [policy.nextDeadline].compactMap { $0 }).min() }
    }

    private mutating func endSources() {
        for index in sources.indices { sources[index].endInput() }
        errors.closeInput()
        let deadline = Deadline(in: Self.gracePeriod)
        var open = sources.compactMap(\.readings)
        while errors.isOpen || !open.isEmpty, !deadline.hasPassed() {
            var polled = (open + [errors.output]).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&polled, nfds_t(polled.count), deadline.pollTimeout)
            errors.passOn()
            let ended = polled.dropLast().filter { descriptor in
                descriptor.revents != 0 && (try? readAvailable(descriptor.fd))?.isEmpty ?? true
            }
            open.removeAll(where: ended.map(\.fd).contains)
        }
        // A source may also have left processes behind that are not its descendants any more.
        if errors.isOpen || !open.isEmpty { killHolders(ofPipes: open + [errors.output]) }
        for index in sources.indices { sources[index].end() }
        errors.finish()
    }
}
