import PipeCommon

/// Passes ticks, readings and the time to the policy and carries out the policy's decisions. One thread waits for all
/// input with a single `poll`.
final class FallbackLoop {
    /// The maximum number of unanswered ticks: enough for three beats of 10,000 symbols. While this many ticks are
    /// unanswered, no further ticks are read.
    private static let maxPending = 32_768
    /// How long the sources may take to exit after their input is closed.
    private static let gracePeriod = Duration.milliseconds(100)

    private var policy: FallbackPolicy
    private var sources: [SupervisedSource]
    private var errors: SourceErrors
    private var input: RecordReader<Tick>
    private var numbering = TickNumbering()
    private var output: LiveWriter
    /// When `time(expected:)` last read the monotonic clock.
    private var lastSeen = Deadline.Instant.now
    private var suspension = Suspension(sleepTime: Deadline.Instant.sleepTime)
    private let signals: SignalPipe
    private let mark = ProcessMark()

    init(_ options: FallbackOptions, diagnostics: Diagnostics) throws(SystemError) {
        let errors = try SourceErrors(diagnostics: diagnostics)
        let signals = try TerminationSignal.watch(alsoContinued: true)
        (self.errors, self.signals) = (errors, signals)
        policy = FallbackPolicy(
            names: options.names, limits: options.limits, trip: options.trip, agree: options.agree,
            usesMedian: options.usesMedian)
        sources = options.commands.indices.map { index in
            SupervisedSource(
                index, command: options.commands[index], name: options.names[index], errors: errors.input,
                diagnostics: diagnostics)
        }
        input = RecordReader(diagnostics: diagnostics)
        output = LiveWriter(diagnostics: diagnostics)
    }

    /// - Throws: a `StreamError` or a `TerminationSignal`.
    func run() throws -> ExitStatus {
        defer { endSources() }
        var events: [FallbackPolicy.Event] = []
        while true {
            for index in sources.indices { sources[index].startIfDue(at: .now) }
            try handle(events)
            if input.hasEnded, policy.pendingCount == 0 {
                try output.finish()
                try TerminationSignal.check()
                return input.status
            }
            try output.flush()
            events = try nextEvents()
        }
    }

    /// Passes the events and the ticks in the input's buffer to the policy and carries out the policy's actions. While
    /// too many ticks are pending, further ticks stay in the buffer.
    private func handle(_ events: [FallbackPolicy.Event]) throws(StreamError) {
        var events = events
        repeat {
            for _ in 0..<max(0, Self.maxPending - policy.pendingCount) {
                guard let tick = input.next() else { break }
                events.append(.tick(numbering.complete(tick, at: .now())))
            }
            let now = time(expected: lastSeen)
            let actions = policy.handle(events, at: now)
            for notice in policy.takeNotices() { sources[notice.source].warn(notice.text) }
            events.removeAll(keepingCapacity: true)
            for action in actions {
                switch action {
                case .answer(let reading): try output.add(reading)
                case .restart(let source, let message): sources[source].end(because: message)
                case .ask(let source, var tick):
                    // A tick for a candle keeps its time, which identifies the candle.
                    if tick.candle == nil { tick.at = .now() }
                    sources[source].ask(tick, at: now)
                }
            }
            for source in sources.indices { sources[source].send(at: now, &events) }
        } while !events.isEmpty || !input.needsInput && policy.pendingCount < Self.maxPending
    }

    /// Waits until there is something to do or the next deadline passes, then reads the input that arrived.
    ///
    /// - Returns: events for the answers that arrived, valid or not, and for the sources that were lost.
    private func nextEvents() throws -> [FallbackPolicy.Event] {
        let wantsTicks = input.isOpen && policy.pendingCount < Self.maxPending
        var polled = [
            pollfd(wantsTicks ? input.descriptor : nil, POLLIN),
            pollfd(STDOUT_FILENO),
            pollfd(signals.descriptor, POLLIN),
            pollfd(errors.output, POLLIN),
        ]
        var (deadline, running) = (policy.nextDeadline, [Int]())
        for source in sources.indices {
            if let start = sources[source].nextStart { deadline = min(deadline ?? start, start) }
            guard let readings = sources[source].readings else { continue }
            running.append(source)
            polled.append(pollfd(readings, POLLIN))
        }
        for source in running {
            if let room = sources[source].room { polled.append(pollfd(room, POLLOUT)) }
        }
        // `time(expected:)` may have emptied the signal pipe, so `poll` might not report a termination signal.
        try TerminationSignal.check()
        poll(&polled, until: deadline)
        try TerminationSignal.check()
        _ = time(expected: deadline.map { max($0.instant, lastSeen) } ?? .now)
        var events: [FallbackPolicy.Event] = []
        if readerIsGone(polled[1]) { throw StreamError.readerGone }
        // The sources' own messages are passed on first, so that they usually precede our report of an exit.
        if polled[3].isReady { errors.passOn() }
        for (source, descriptor) in zip(running, polled[4...]) where descriptor.isReady {
            sources[source].readAnswers(&events)
        }
        if polled[0].isReady { try input.read() }
        return events
    }

    /// The current time. If it is more than a second later than expected because a signal stopped the process or the
    /// machine slept, the deadlines are postponed. It is not known when this suspension began, so all the time since
    /// the last call counts as suspended.
    private func time(expected: Deadline.Instant) -> Deadline.Instant {
        let former = lastSeen
        lastSeen = .now
        while let signal = signals.next() {
            if signal == SIGCONT { suspension.recordContinued() }
        }
        if suspension.explains(late: lastSeen - expected, sleepTime: Deadline.Instant.sleepTime) {
            let gap = lastSeen - former
            policy.postponeDeadlines(by: gap)
            for index in sources.indices { sources[index].postponeDeadlines(by: gap) }
        }
        return lastSeen
    }

    private func endSources() {
        for index in sources.indices { sources[index].endInput() }
        errors.closeInput()
        let deadline = Deadline(in: Self.gracePeriod)
        var open = sources.compactMap(\.readings)
        while errors.isOpen || !open.isEmpty, !deadline.hasPassed() {
            var polled = (open + [errors.output]).map { pollfd($0, POLLIN) }
            poll(&polled, until: deadline)
            errors.passOn()
            let ended = polled.dropLast().filter { descriptor in
                descriptor.isReady && (try? readAvailable(descriptor.fd))?.isEmpty ?? true
            }
            open.removeAll(where: ended.map(\.fd).contains)
        }
        // A source may have started processes that have since been detached from it. They may outlive the source.
        if errors.isOpen || !open.isEmpty { killHolders(ofPipes: open + [errors.output], mark) }
        for index in sources.indices { sources[index].end() }
        errors.finish()
    }
}
