import PipeCommon
import TestSupport

/// Processor time per tick of `price-cache --answer` with a fresh quote in the store.
func storedAnswer(_ options: BenchOptions, _ report: Report) {
    let folder = TemporaryFolder()
    let count = options.count(50_000, quick: 5000)
    let environment = ["XDG_CACHE_HOME": folder.path]
    folder.write("readings", quoteLine(at: .now()) + "\n")
    _ = Cost.of("price-cache <\(folder.path)/readings >/dev/null", environment: environment)
    let samples = (0..<options.count(5, quick: 3)).map { _ in
        let costs = [100, 100 + count].map { count in
            folder.write("ticks", (0..<count).map { "{\"tick\":\($0)}\n" }.joined())
            let command = "price-cache --answer --fresh-for 1d <\(folder.path)/ticks >\(folder.path)/answers"
            let cost = Cost.of(command, environment: environment).processor
            let answered = RunningProgram.shell("grep -c '\"quote\"' \(folder.path)/answers").lines.first
            precondition(answered == "\(count)", "\(answered ?? "no") of \(count) ticks got a quote")
            return cost
        }
        return (costs[1] - costs[0]) / Double(count)
    }
    let sample = Sample(samples)
    report.row(
        "processor time per tick, `price-cache --answer`", ours: sample.text(" ms", scale: 1000, digits: 3),
        goal: "≤ 0.1 ms", holds: sample.median <= 0.0001)
}
