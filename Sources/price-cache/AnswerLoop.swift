import PipeCommon

/// Answers ticks from the store: with the stored quote while it is fresh, otherwise with the failure `expired`.
///
/// It reads the disk in its own thread. As a source it has a time limit, after which the next source is asked.
struct AnswerLoop: ~Copyable {
    /// Between two looks at what other programs have stored.
    private static let pause = Duration.milliseconds(20)
    /// The maximum number of unanswered ticks. Further input is left unread.
    private static let maxPending = 256

    private let store: FileQuoteStore
    private let freshness: Freshness
    private var input: RecordReader<Tick>
    private var output: ReadingWriter
    private var numbering = TickNumbering()
    private let diagnostics: Diagnostics
    private var problems: [Subject: ChangeFilter] = [:]
    private var claims: RefreshClaims
    private var pending: [OpenTick] = []

    init(_ store: FileQuoteStore, freshness: Freshness, diagnostics: Diagnostics) {
        (self.store, self.freshness) = (store, freshness)
        input = RecordReader(diagnostics: diagnostics)
        output = ReadingWriter(diagnostics: diagnostics)
        self.diagnostics = diagnostics
        claims = RefreshClaims(atMost: freshness.limit)
    }

    mutating func run() throws(StreamError) -> ExitStatus {
        while !(input.hasEnded && pending.isEmpty) {
            repeat {
                while pending.count < Self.maxPending, let tick = input.next() {
                    pending.append(OpenTick(numbering.complete(tick, at: .now()), at: .now))
                }
                try answer()
            } while !input.needsInput && pending.count < Self.maxPending
            try output.flush()
            try wait()
        }
        try output.finish()
        return input.status
    }

    /// Answers the ticks that need not wait.
    private mutating func answer() throws(StreamError) {
        let (wall, now) = (Timestamp.now(), Deadline.Instant.now)
        claims.endClaims(at: now)
        var waiting: [OpenTick] = []
        for open in pending {
            let key = open.tick.key
            let reading = open.reading(
                freshness, at: wall, now, load: { load(key) },
                claim: { claim(key.series, at: now) })
            if let reading { try output.add(reading) } else { waiting.append(open) }
        }
        pending = waiting
    }

    /// What is stored, and why it cannot be used.
    private mutating func load(_ key: StoredQuote.Key) -> (stored: StoredQuote?, problem: String?) {
        do throws(StoreError) {
            let loaded = try store.load(key.series)
            report(loaded?.problem, of: key.series)
            return (loaded?.series[key.beginning], nil)
        } catch {
            report(error, of: key.series)
            return (nil, error.problem)
        }
    }

    private mutating func report(_ error: StoreError?, of name: Subject) {
        guard error != nil || problems[name] != nil else { return }
        let changed = problems[name, default: ChangeFilter()].changed(to: error?.reason)
        if let changed { diagnostics.warning(changed) }
    }

    private mutating func claim(_ name: Subject, at now: Deadline.Instant) -> Bool {
        guard let path = store.location.path(of: name) else { return true }
        store.location.makeDirectory()
        return claims.claim(path, at: now)
    }

    /// Waits for ticks, for what other programs store, or for the end of a claim.
    private mutating func wait() throws(StreamError) {
        if input.hasEnded, pending.isEmpty { return }
        let deadline = pending.isEmpty ? claims.nextEnd : Deadline(in: Self.pause)
        if try input.wait(until: deadline, wantsInput: input.isOpen && input.needsInput) { try input.read() }
    }
}
