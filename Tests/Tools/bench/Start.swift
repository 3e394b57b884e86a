import TestSupport

/// The time from the command to its first line.
func start(_ options: BenchOptions, _ report: Report) {
    let sources = LocalSources()
    let times = (0..<options.count(20, quick: 5)).map { _ in
        let start = ContinuousClock.now
        let running = RunningProgram(
            "bash", ["-c", "exec \(sources.pipeline("-n 1"))"], environment: sources.environment)
        precondition(running.readLine() != nil, running.errors)
        defer { _ = running.finish() }
        return milliseconds(.now - start)
    }
    let sample = Sample(times)
    report.row(
        "command to first line", ours: sample.text(" ms", digits: 0), goal: "≤ 60 ms",
        holds: sample.median <= 60)
}
