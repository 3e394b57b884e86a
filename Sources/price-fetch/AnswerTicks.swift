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
        let start = Renewal.position()
        var ticks = RecordLines<Tick>(diagnostics: diagnostics, after: start.lines, status: start.status)
        var numbering = TickNumbering(from: start.nextNumber)
        while try ticks.readMore() {
            while let tick = ticks.next() {
                answer(numbering.complete(tick, at: .now()), readAt: .now)
                try output.check()
            }
            try ticks.wait()
            if ticks.isDry, canBeRenewed {
                Renewal.start(
                    at: TickPosition(lines: ticks.count, nextNumber: numbering.next, status: ticks.status))
            }
        }
        try finishUnderWay()
        try output.finish()
        return ticks.status
    }

    /// One reading, of a tick that is due now.
    func once() throws -> ExitStatus {
        defer { feed.end() }
        var numbering = TickNumbering()
        answer(numbering.complete(Tick(), at: .now()), readAt: .now)
        try finishUnderWay()
        try output.check()
        return output.hasQuote ? .done : .noQuote
    }

    /// Waits for what is under way, for as long as somebody wants to read it.
    private func finishUnderWay() throws(StreamError) {
        while underWay.wait(timeout: .now() + .milliseconds(20)) == .timedOut { try checkReader() }
    }

    /// Nothing is under way, and there is nothing that only this run knows.
    private var canBeRenewed: Bool {
        feed.isWorn && underWay.wait(timeout: .now()) == .success && !output.isBehind
    }

    private func answer(_ tick: Tick, readAt start: Deadline.Instant) {
        places.wait()
        underWay.enter()
        Task { [feed, output, places, underWay] in
            output.write(await feed.reading(for: tick, readAt: start))
            places.signal()
            underWay.leave()
        }
    }
}
