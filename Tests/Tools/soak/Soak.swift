import Foundation
import PipeCommon
import TestSupport

/// Runs one pipeline after another, with the scheduled faults, until all ticks are answered.
struct Soak {
    private let options: SoakOptions
    private let exchanges: Exchanges?
    private let stages: Stages
    private let description: String
    private let reference = ReferenceChain()
    private let folder = TemporaryFolder()
    private var invariants: Invariants
    private var census = ProcessWatch()
    /// The tick of the schedule at which the current pipeline begins.
    private var done = 0
    private var pipelines = 0
    /// How many broken invariants have been reported so far.
    private var reported = 0

    init(_ options: SoakOptions) {
        self.options = options
        let odd = options.hasOddProcesses ? OddProcesses(seed: options.seed, in: folder) : nil
        exchanges = odd == nil ? Exchanges(options) : nil
        stages = odd?.stages ?? exchanges!.stages(in: folder)
        description = odd?.description ?? "\(options.transport.rawValue), symbols: \(options.symbols)"
        invariants = Invariants(
            of: exchanges?.symbols ?? [.bitcoin], PriceCheck(stages.origin),
            limit: options.budget + options.slack
        ) { [reference] start in
            reference.delay(since: start)
        }
    }

    /// - Returns: whether every invariant held.
    mutating func run() throws -> Bool {
        while done < options.ticks { try runPipeline() }
        for fault in exchanges?.faults ?? [] { invariants.breaks("I3: \(fault)") }
        for growth in census.growths { invariants.breaks("I5: \(growth)") }
        try say(summary)
        return invariants.brokenCount == 0
    }

    private mutating func runPipeline() throws {
        let ticks = options.ticks - done
        let pipeline = Pipeline(
            options, ticks: ticks, of: exchanges?.symbols ?? [.bitcoin], stages, in: folder)
        pipelines += 1
        exchanges?.reach(done)
        invariants.begin()
        /// The tick at which a stage was killed; nil if no stage was killed. Killing a stage ends the pipeline.
        var killed: Int?
        var nextLook = Deadline(in: .milliseconds(500))
        while !pipeline.hasEnded {
            let before = invariants.answered
            usleep(5000)
            take(from: pipeline)
            for tick in before..<invariants.answered {
                exchanges?.reach(done + tick)
                if killed == nil, let victim = exchanges?.schedule.kills[done + tick],
                    pipeline.kill(pipeline.programs[victim]), victim < Pipeline.stages.count
                {
                    killed = tick
                }
                if (done + tick + 1) % max(options.ticks / 20, 1) == 0 { try sayProgress(done + tick + 1) }
            }
            if nextLook.hasPassed() {
                census.look(at: pipeline.processes(), isCalm: done + invariants.answered > calm)
                nextLook = Deadline(in: .milliseconds(500))
            }
        }
        finish(pipeline, isKilled: killed != nil)
        // The schedule continues after the tick at which the stage was killed, even if more ticks were answered.
        done += killed.map { $0 + 1 } ?? invariants.answered
        if killed == nil, done < options.ticks {
            invariants.breaks("I1: the pipeline ended after \(done) ticks")
            done = options.ticks
        }
    }

    /// The tick after which the growth of resources is checked. By this tick, the programs have settled after the last
    /// kill.
    private var calm: Int {
        let settled = max(options.ticks / 20, Int(Duration.seconds(3) / options.interval))
        return (exchanges?.schedule.calm ?? 0) + settled
    }

    /// Checks the lines that have arrived.
    private mutating func take(from pipeline: Pipeline) {
        for (line, arrival) in pipeline.takeReadings() { invariants.check(reading: line, at: arrival) }
        for line in pipeline.takeText() { invariants.check(text: line) }
    }

    private mutating func finish(_ pipeline: Pipeline, isKilled: Bool) {
        let (status, expected) = (pipeline.status(), isKilled ? 128 + SIGKILL : stages.status)
        if status != expected { invariants.breaks("I6: exit status \(status), not \(expected)") }
        if !pipeline.isGone() { invariants.breaks("I4: processes are left: \(pipeline.processes())") }
        take(from: pipeline)
        if !isKilled, invariants.unshown > 0 {
            invariants.breaks("I1: \(invariants.unshown) readings were not shown")
        }
        if pipeline.errors.contains("bug") { invariants.breaks("I6: \(pipeline.errors.suffix(500))") }
    }

    private mutating func sayProgress(_ ticks: Int) throws {
        for broken in invariants.broken.dropFirst(reported) { try say("broken: \(broken)") }
        reported = invariants.broken.count
        try say("\(ticks) of \(options.ticks) ticks: \(invariants.counts.quotes) quotes")
    }

    private var summary: String {
        let counts = invariants.counts
        let verdict =
            invariants.brokenCount == 0
            ? "every invariant held" : "invariants were broken \(invariants.brokenCount) times"
        let starts = census.starts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        return """
            \(description), \(counts.ticks) of \(options.ticks * options.symbols) ticks, every \
            \(options.interval.milliseconds) ms, in \(pipelines) pipelines
            quotes \(counts.quotes), rescues \(counts.rescues), banners \(counts.banners)
            slowest start \(counts.slowestStart.milliseconds) ms, slowest line \(counts.slowest.milliseconds) ms, \
            budget \(options.budget.milliseconds) ms, late lines \(counts.late), \(counts.heldUp) delayed by the machine
            starts: \(starts.joined(separator: ", "))
            \(invariants.broken.map { "broken: \($0)\n" }.joined())\
            seed \(options.seed): \(verdict)
            """
    }

    private func say(_ text: String) throws {
        try LineWriter.standardOutput.write(text.utf8)
    }
}
