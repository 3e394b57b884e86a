import PipeCommon

/// Carries ticks, readings and time to the policy, and carries out what it decides: one thread, one `poll`.
struct FallbackLoop: ~Copyable {
    /// Who wakes up later than that was stopped in between, or the whole machine was.
    private static let stopped = Duration.seconds(1)
    /// How many ticks wait for a reading at most; further ones stay in standard input.
    private static let mostPending = 256
    /// What the sources have to end by themselves when their input has ended.
    private static let farewell = Duration.milliseconds(100)

    private var fallback: FallbackPolicy
    private var sources: [SupervisedSource]
    private var input: RecordReader<Tick>
    private var numbering = TickNumbering()
    private var output: ReadingWriter

    init(_ options: FallbackOptions, diagnostics: Diagnostics) {
        fallback = FallbackPolicy(commands: options.commands, patience: options.patience, trip: options.trip)
        sources = options.commands.map { SupervisedSource(command: $0, diagnostics: diagnostics) }
        input = RecordReader(diagnostics: diagnostics)
        output = ReadingWriter(diagnostics: diagnostics) { TerminationSignal.hasArrived }
    }

    /// - Throws: a `StreamError`, or a `TerminationSignal`.
    mutating func run() throws -> ExitStatus {
        let signals = try TerminationSignal.watch()
        defer { endSources() }
        while true {
            for index in sources.indices { sources[index].startWhenDue(at: .now) }
            try handle(.time)
            try takeTicks()
            if input.hasEnded, fallback.pendingCount == 0 {
                try output.finish()
                return input.status
            }
            try output.flush()
            try waitAndRead(signals.descriptor)
        }
    }

    private mutating func takeTicks() throws(StreamError) {
        while fallback.pendingCount < Self.mostPending, let tick = input.next() {
            try handle(.tick(numbering.complete(tick, at: .now())))
        }
    }

    private mutating func handle(_ event: FallbackPolicy.Event) throws(StreamError) {
        var events = [event]
        while !events.isEmpty {
            for action in fallback.handle(events.removeFirst(), at: .now) {
                switch action {
                case .answer(let reading): try output.add(reading)
                case .restart(let source): events.append(.lost(source, message: sources[source].restart()))
                case .ask(let source, var tick):
                    tick.at = .now()
                    if let trouble = sources[source].ask(tick) {
                        events.append(.lost(source, message: trouble))
                    }
                }
            }
        }
    }

    /// Waits until a tick or a reading has come, or somebody's time is up, and takes in what has come.
    private mutating func waitAndRead(_ signals: Int32) throws {
        let running = sources.indices.filter { sources[$0].readings != nil }
        let wantsTicks = input.isOpen && input.needsInput && fallback.pendingCount < Self.mostPending
        var descriptors =
            [
                // A negative descriptor is passed over.
                pollfd(fd: wantsTicks ? input.descriptor : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            ] + running.map { pollfd(fd: sources[$0].readings!, events: Int16(POLLIN), revents: 0) }
        let (timeout, start) = (pollTimeout, Deadline.Instant.now)
        let ready = poll(&descriptors, nfds_t(descriptors.count), timeout)
        try TerminationSignal.check()
        let late = start.duration(to: .now) - .milliseconds(Int(timeout))
        if timeout >= 0, late > Self.stopped { try handle(.asleep(late)) }
        guard ready > 0 else { return }
        if readerIsGone(descriptors[1]) { throw StreamError.readerGone }
        for (source, descriptor) in zip(running, descriptors[3...]) where descriptor.revents != 0 {
            try hear(source)
        }
        if descriptors[0].revents != 0 { try input.read() }
    }

    private mutating func hear(_ source: Int) throws(StreamError) {
        for answer in sources[source].hear() {
            switch answer {
            case .success(let reading): try handle(.reading(reading, from: source))
            case .failure(let refusal): try handle(.lost(source, message: refusal.reason))
            }
        }
    }

    /// Milliseconds until the next deadline; at once while ticks are in hand, for ever (-1) when
    /// nothing is due.
    private var pollTimeout: Int32 {
        if !input.needsInput, fallback.pendingCount < Self.mostPending { return 0 }
        let deadlines = sources.compactMap(\.nextStart) + [fallback.nextDeadline].compactMap { $0 }
        return deadlines.min()?.pollTimeout ?? -1
    }

    private mutating func endSources() {
        for index in sources.indices { sources[index].endInput() }
        let deadline = Deadline(in: Self.farewell)
        var open = sources.compactMap(\.readings).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while !open.isEmpty, !deadline.hasPassed() {
            poll(&open, nfds_t(open.count), deadline.pollTimeout)
            open.removeAll { $0.revents != 0 && (try? readAvailable($0.fd))?.isEmpty ?? true }
        }
        for index in sources.indices { sources[index].end() }
    }
}
