import PipeCommon

/// Passes ticks to the feed, writes its readings to standard output, and enforces all deadlines: one thread,
/// one `poll`.
struct FetchLoop: ~Copyable {
    private struct Pending {
        let tick: Tick
        let timeout: Duration
        let deadline: Deadline
    }

    /// Maximum number of unanswered ticks; further input is left unread.
    private static let mostPending = 32_768
    /// The most ticks that are read before answers are written.
    private static let mostAtOnce = 256

    private let feed: any PriceFeed
    private let options: FetchOptions
    private let diagnostics: Diagnostics
    private var ticks: RecordReader<Tick>
    private var numbering = TickNumbering()
    private var output: LiveWriter
    private var pending: [Int: Pending] = [:]
    /// No pending tick has an earlier deadline than this.
    private var earliest: Deadline?
    private var nextID = 0
    private var hasQuote = false
    private var reported = ChangeFilter()

    init(_ options: FetchOptions, _ feed: any PriceFeed, _ diagnostics: Diagnostics) {
        self.feed = feed
        self.options = options
        self.diagnostics = diagnostics
        ticks = RecordReader(diagnostics: diagnostics)
        output = LiveWriter(diagnostics: diagnostics)
    }

    /// Writes one reading for each tick on standard input, or with `--once` for a single tick that is due
    /// now.
    ///
    /// - Throws: a `StreamError`, or a `TerminationSignal`.
    mutating func run() throws -> ExitStatus {
        let signals = try TerminationSignal.watch()
        defer { feed.end() }
        if options.isOnce { try ask(numbering.complete(Tick(symbol: options.symbol), at: .now())) }
        var ready: [pollfd] = []
        while true {
            if !options.isOnce { try readTicks() }
            try write(feed.advance(ready, at: .now))
            if options.isOnce || ticks.hasEnded, pending.isEmpty { break }
            ready = try wait(for: signals)
        }
        try output.finish()
        try TerminationSignal.check()
        if options.isOnce { return hasQuote ? .done : .noQuote }
        return ticks.status
    }

    private mutating func readTicks() throws(StreamError) {
        for _ in 0..<Self.mostAtOnce where pending.count < Self.mostPending {
            guard let tick = ticks.next() else { break }
            try ask(numbering.complete(tick, at: .now()))
        }
    }

    private mutating func ask(_ tick: Tick) throws(StreamError) {
        if let refusal = options.refusal(of: tick) { return try refuse(refusal) }
        let now = Deadline.Instant.now
        let timeout = min(options.timeout, tick.timeout ?? options.timeout)
        let deadline = Deadline(in: timeout, from: now)
        pending[nextID] = Pending(tick: tick, timeout: timeout, deadline: deadline)
        earliest = min(earliest ?? deadline, deadline)
        feed.ask(nextID, tick, within: timeout, at: now)
        nextID += 1
    }

    private mutating func refuse(_ refusal: Reading) throws(StreamError) {
        if let failure = refusal.failures.first, let message = reported.changed(to: failure.message) {
            let option = refusal.candle == nil ? "--symbol" : "--list"
            diagnostics.warning("\(failure.source): \(message) (see \(option))")
        }
        try output.add(refusal)
    }

    private mutating func write(_ answers: [Answer]) throws(StreamError) {
        for (id, reading) in answers { try answer(id, reading) }
        let now = Deadline.Instant.now
        if pending.isEmpty { earliest = nil }
        // The pending ticks are searched only if one may be late, because there may be thousands.
        if let earliest, earliest.hasPassed(at: now) {
            let late = pending.filter { $1.deadline.hasPassed(at: now) }.sorted { $0.key < $1.key }
            for (id, late) in late { try answer(id, feed.giveUp(id, late.tick, after: late.timeout)) }
            self.earliest = pending.values.map(\.deadline).min()
        }
        try output.flush()
    }

    private mutating func answer(_ id: Int, _ reading: Reading) throws(StreamError) {
        guard pending.removeValue(forKey: id) != nil else { return }
        if reading.quote != nil { hasQuote = true }
        try output.add(reading)
    }

    /// Waits for input, the feed, a signal or the next deadline; then reads the input that is available.
    ///
    /// - Returns: what `poll` has reported for the feed's descriptors.
    private mutating func wait(for signals: SignalPipe) throws -> [pollfd] {
        let wantsTicks =
            !options.isOnce && ticks.isOpen && ticks.needsInput && pending.count < Self.mostPending
        var descriptors =
            [
                // `poll` ignores negative descriptors.
                pollfd(fd: wantsTicks ? ticks.descriptor : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDOUT_FILENO, events: 0, revents: 0),
                pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
            ] + feed.watched
        let isReady = poll(&descriptors, until: nextDeadline)
        try TerminationSignal.check()
        guard isReady else { return [] }
        if readerIsGone(descriptors[1]) { throw StreamError.readerGone }
        if descriptors[0].revents != 0 { try ticks.read() }
        return Array(descriptors[3...])
    }

    /// The next deadline: now if buffered ticks can be processed, nil if there is none.
    private var nextDeadline: Deadline? {
        if !options.isOnce, !ticks.needsInput, pending.count < Self.mostPending { return Deadline(.now) }
        return [earliest, feed.nextDeadline].compactMap { $0 }.min()
    }
}
