import PipeCommon

/// Passes ticks to the feed as questions, turns the feed's answers into readings, reports problems, and enforces the
/// time limits of the ticks. The loop runs in one thread, which waits for input and for the feed in `poll`.
final class FetchLoop {
    /// The maximum number of unanswered ticks. While there are this many, no further ticks are read.
    private static let mostPending = 32_768
    /// The maximum number of ticks that are read before answers are written.
    private static let mostAtOnce = 256

    private let feed: any PriceFeed
    private let options: FetchOptions
    private let reports: Reports
    private var ticks: RecordReader<Tick>
    private var numbering = TickNumbering()
    private var output: LiveWriter
    private var pending: [Int: (tick: Tick, question: Question)] = [:]
    /// A lower bound for the deadlines of all pending ticks; nil if no tick is pending.
    private var earliest: Deadline?
    private var nextID = 0
    private var hasQuote = false

    init(_ options: FetchOptions, _ feed: any PriceFeed, _ reports: Reports, _ diagnostics: Diagnostics) {
        (self.options, self.feed, self.reports) = (options, feed, reports)
        ticks = RecordReader(diagnostics: diagnostics)
        output = LiveWriter(diagnostics: diagnostics)
    }

    /// Reads ticks from standard input and adds one reading for each of them to the output. With `--once`, creates a
    /// single tick instead and writes its reading.
    ///
    /// - Throws: a `StreamError`, a `SystemError`, or a `TerminationSignal`.
    func run() throws -> ExitStatus {
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

    private func readTicks() throws(StreamError) {
        for _ in 0..<Self.mostAtOnce where hasRoom {
            guard let tick = ticks.next() else { break }
            try ask(numbering.complete(tick, at: .now()))
        }
    }

    private func ask(_ tick: Tick) throws(StreamError) {
        let now = Deadline.Instant.now
        if let refusal = options.refusal(of: tick) {
            let option = tick.candle == nil ? "--symbol" : "--list"
            reports.report(
                .refusal, of: option, "\(feed.name): \(refusal.message) (see \(option))", at: now)
            return try output.add(Reading(answering: tick, [refusal.failure(of: feed.name)]))
        }
        let question = Question(
            id: nextID, subject: tick.subject, at: tick.at ?? .now(), beat: tick.number,
            timeout: min(options.timeout, tick.timeout ?? options.timeout), time: now)
        pending[nextID] = (tick, question)
        earliest = min(earliest ?? question.deadline, question.deadline)
        feed.ask(question)
        nextID += 1
    }

    private func write(_ answers: [Answer]) throws(StreamError) {
        let now = Deadline.Instant.now
        for answer in answers { try write(answer, at: now) }
        if pending.isEmpty { earliest = nil }
        // The pending ticks are searched only if a tick may be late, because there may be thousands of them.
        if let earliest, earliest.hasPassed(at: now) {
            let late = pending.filter { $0.value.question.deadline.hasPassed(at: now) }
            for id in late.keys.sorted() {
                try write(Answer(id: id, quote: .failure(feed.giveUp(late[id]!.question))), at: now)
            }
            self.earliest = pending.values.map(\.question.deadline).min()
        }
        try output.flush()
    }

    private func write(_ answer: Answer, at now: Deadline.Instant) throws(StreamError) {
        guard let (tick, _) = pending.removeValue(forKey: answer.id) else { return }
        switch answer.quote {
        case .success:
            hasQuote = true
            reports.recordHealth(at: now)
        case .failure(let error): reports.report(error, of: tick.subject, from: feed.name, at: now)
        }
        try output.add(Reading(answering: tick, answer, of: feed))
    }

    /// Waits until a descriptor of the feed is ready, a signal arrives, the reader of the output goes away, or the next
    /// deadline passes. If more ticks may be read now, also waits for input and reads any input that is available.
    ///
    /// - Returns: the feed's descriptors, with the events that `poll` has reported; empty if nothing is ready.
    private func wait(for signals: SignalPipe) throws -> [pollfd] {
        let wantsTicks = !options.isOnce && ticks.isOpen && ticks.needsInput && hasRoom
        let own = [
            pollfd(wantsTicks ? ticks.descriptor : nil, POLLIN), pollfd(STDOUT_FILENO),
            pollfd(signals.descriptor, POLLIN),
        ]
        var descriptors = own + feed.watched
        let isReady = poll(&descriptors, until: nextDeadline)
        try TerminationSignal.check()
        guard isReady else { return [] }
        if readerIsGone(descriptors[1]) { throw StreamError.readerGone }
        if descriptors[0].isReady { try ticks.read() }
        return Array(descriptors[own.count...])
    }

    /// Whether another tick may be read.
    private var hasRoom: Bool { pending.count < Self.mostPending }

    /// The next deadline, which is the current time if buffered ticks can be processed; nil if there is no deadline.
    private var nextDeadline: Deadline? {
        if !options.isOnce, !ticks.needsInput, hasRoom { return Deadline(.now) }
        return [earliest, feed.nextDeadline].compactMap { $0 }.min()
    }
}
