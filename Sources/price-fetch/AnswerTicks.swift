import Dispatch
import PipeCommon

/// Answers each tick of standard input as soon as its answer is known; ticks may overlap.
struct AnswerTicks {
    /// How many ticks are under way at most; the next one waits until one of them is answered.
    static let atOnce = 16

    private let feed: any Feed
    private let diagnostics: Diagnostics
    private let output: SharedOutput
    private let underWay = DispatchGroup()
    // Filled by hand: Dispatch traps when a semaphore goes away with less than it was made with.
    private let places = DispatchSemaphore(value: 0)

    init(from feed: any Feed, _ diagnostics: Diagnostics) {
        self.feed = feed
        self.diagnostics = diagnostics
        output = SharedOutput(diagnostics: diagnostics)
        for _ in 0..<Self.atOnce { places.signal() }
    }

    func run() throws -> ExitStatus {
        defer { feed.end() }
        var ticks = RenewableTicks(from: Renewal.position(), diagnostics: diagnostics)
        repeat {
            while let tick = ticks.next() {
                try answer(tick)
                try output.check()
            }
            while try !ticks.wait(until: feed.nextDeadline) { feed.giveUp(at: .now) }
            if ticks.needsInput, feed.isWorn {
                // The next tick waits, but no longer than those under way have.
                try wait(underWay.wait)
                Renewal.start(at: ticks.position)
            }
        } while try ticks.read()
        try wait(underWay.wait)
        try output.finish()
        return ticks.status
    }

    /// One reading, of a tick that is due now.
    func once() throws -> ExitStatus {
        defer { feed.end() }
        var numbering = TickNumbering()
        try answer(numbering.complete(Tick(), at: .now()))
        try wait(underWay.wait)
        try output.finish()
        return output.hasQuote ? .done : .noQuote
    }

    private func answer(_ tick: Tick) throws(StreamError) {
        let start = Deadline.Instant.now
        try wait(places.wait)
        underWay.enter()
        feed.answer(tick, readAt: start) { [output, places, underWay] reading in
            output.write(reading)
            places.signal()
            underWay.leave()
        }
    }

    /// Waits while ticks are under way, for as long as somebody wants to read their answers.
    private func wait(_ wait: (DispatchTime) -> DispatchTimeoutResult) throws(StreamError) {
        let look = Duration.milliseconds(20)
        while wait(.now() + min(look, feed.nextDeadline?.remaining() ?? look).seconds) == .timedOut {
            feed.giveUp(at: .now)
            try checkReader()
        }
    }
}
