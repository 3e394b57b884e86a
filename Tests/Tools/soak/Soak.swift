import Foundation
import PipeCommon
import TestSupport

/// Runs pipelines one after the other until all ticks are answered, and does to them what the schedule says.
struct Soak {
    private let options: SoakOptions
    private let diagnostics: Diagnostics
    private let schedule: Schedule
    private let weathervane: FaultyServer
    private let server: StubServer
    private let names: FaultyNames?
    private let reference = ReferenceChain()
    private let folder = TemporaryFolder()
    private var invariants: Invariants
    private var census = ProcessWatch()
    /// How many ticks the pipelines before this one have answered.
    private var done = 0
    private var pipelines = 0
    /// How many broken invariants were reported on the way.
    private var reported = 0

    init(_ options: SoakOptions, _ diagnostics: Diagnostics) {
        self.options = options
        self.diagnostics = diagnostics
        schedule = Schedule(seed: options.seed, ticks: options.ticks)
        let weathervane = FaultyServer(
            schedule, seed: options.seed, timeout: options.timeout, symbols: options.symbols)
        self.weathervane = weathervane
        server = StubServer { weathervane.answer($0.path) }
        // With a slow name server, the look-ups of many symbols hold many threads, more at some times than at others.
        names = options.symbols == 1 ? FaultyNames(weathervane) : nil
        if let names { folder.write("resolv.conf", names.configuration) }
        invariants = Invariants(weathervane, limit: options.budget + options.slack) { [reference] start in
            reference.delay(since: start)
        }
    }

    /// - Returns: whether every invariant held.
    mutating func run() throws -> Bool {
        defer { server.close() }
        while done < options.ticks { try runPipeline() }
        for growth in census.growths { invariants.breaks("I5: \(growth)") }
        try say(Summary(options, invariants, census, pipelines: pipelines).text)
        return invariants.brokenCount == 0
    }

    private mutating func runPipeline() throws {
        let ticks = options.ticks - done
        let (first, schedule, weathervane, names) = (done, schedule, weathervane, names)
        let pipeline = Pipeline(
            options, ticks: ticks, of: weathervane.symbols, server: server, names: names, folder: folder
        ) { tick in
            weathervane.reach(first + tick)
            names?.become(schedule.naming(at: first + tick))
        }
        pipelines += 1
        invariants.begin()
        var killed: (victim: Schedule.Victim, tick: Int)?
        var nextLook = Deadline(in: .milliseconds(500))
        while !pipeline.hasEnded {
            let before = invariants.answered
            take(pipeline.lines(within: .milliseconds(5)))
            for tick in before..<invariants.answered {
                if let victim = schedule.kills[done + tick], killed == nil {
                    pipeline.kill(victim.program)
                    if !victim.isSource { killed = (victim, tick) }
                }
                if (done + tick + 1) % max(options.ticks / 20, 1) == 0 { try sayProgress(done + tick + 1) }
            }
            if nextLook.hasPassed() {
                census.look(at: pipeline.processes(), isCalm: done + invariants.answered > calm)
                nextLook = Deadline(in: .milliseconds(500))
            }
        }
        finish(pipeline, killed?.victim)
        // The schedule goes on after the tick of the kill, however many more were answered.
        done += killed.map { $0.tick + 1 } ?? invariants.answered
        if killed == nil, done < options.ticks {
            invariants.breaks("I1: the pipeline ended after \(done) ticks")
            done = options.ticks
        }
    }

    /// Some time after the last kill, when all programs have met every kind of fault.
    private var calm: Int { schedule.calm + options.ticks / 20 }

    private mutating func take(_ lines: [Pipeline.Line]) {
        for line in lines {
            switch line {
            case .reading(let bytes, let arrival):
                invariants.check(reading: bytes, at: arrival)
            case .text(let bytes): invariants.check(text: bytes)
            }
        }
    }

    private mutating func finish(_ pipeline: Pipeline, _ killed: Schedule.Victim?) {
        while case let lines = pipeline.lines(within: .zero), !lines.isEmpty { take(lines) }
        let (status, expected) = (pipeline.status(), killed == nil ? 0 : 128 + SIGKILL)
        take(pipeline.lines(within: .zero))
        if status != expected { invariants.breaks("I6: exit status \(status), not \(expected)") }
        if !pipeline.isGone() { invariants.breaks("I4: processes are left: \(pipeline.processes())") }
        if killed == nil, invariants.unshown > 0 {
            invariants.breaks("I1: \(invariants.unshown) readings were not shown")
        }
        if pipeline.errors.contains("bug") { invariants.breaks("I6: \(pipeline.errors.suffix(500))") }
    }

    private mutating func sayProgress(_ ticks: Int) throws {
        let counts = invariants.counts
        for broken in invariants.broken.dropFirst(reported) { try say("broken: \(broken)") }
        reported = invariants.broken.count
        try say(
            "\(ticks) of \(options.ticks) ticks: \(counts.quotes) quotes, \(counts.rescues) rescues, "
                + "\(counts.banners) banners, \(counts.late) late, \(invariants.brokenCount) broken invariants"
        )
    }

    private func say(_ text: String) throws {
        try LineWriter.standardOutput.write(text.utf8)
    }
}

extension Schedule.Victim {
    /// Its name in `Pipeline.programs`.
    var program: String {
        switch self {
        case .primary: "price-fetch \(FaultyServer.sources[0])"
        case .fallback: "price-fetch \(FaultyServer.sources[1])"
        case .lastFallback: "price-fetch \(FaultyServer.sources[2])"
        case .clockStage: "price-clock"
        case .fallbackStage: "price-fallback"
        case .cacheStage: "price-cache"
        case .formatStage: "price-format"
        }
    }
}
