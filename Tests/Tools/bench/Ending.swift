import Foundation
import PipeCommon
import TestSupport

/// How long the last process of the pipeline, with an interval of an hour, lives after its reader is gone, or after its
/// script or one of its stages was killed.
func ending(_ options: BenchOptions, _ report: Report) {
    guard isLinux else {
        return report.row("the last process is gone", ours: "needs /proc", holds: nil)
    }
    func row(_ event: String, _ last: () -> Double) {
        let sample = Sample((0..<options.count(10, quick: 2)).map { _ in last() })
        report.row(
            "\(event): the last process is gone after", ours: sample.text(" ms", digits: 0),
            goal: "≤ 300 ms each", holds: sample.percentile(100) <= 300)
    }
    row("the reader goes away") { lastAfter("| head -1") { _ in } }
    row("the script is killed") {
        lastAfter("& wait $!") { marked in kill(marked.id(of: "/btc-price ")!, SIGKILL) }
    }
    for stage in ["price-fallback", "price-cache", "price-format"] {
        row("\(stage) is killed") {
            lastAfter("") { marked in
                kill(marked.living.first { $0.value.hasPrefix("\(stage) ") }!.key, SIGKILL)
            }
        }
    }
}

/// - Returns: milliseconds from an event after the first line to the end of the last process.
private func lastAfter(_ rest: String, event: (MarkedProcesses) -> Void) -> Double {
    let (marked, folder) = (MarkedProcesses(), TemporaryFolder())
    let source = "bench --answer"
    let running = RunningProgram(
        "bash", ["-c", "btc-price --interval 1h --primary '\(source)' --fallback '\(source)' \(rest)"],
        environment: marked.environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 })
    precondition(running.readLine() != nil, running.errors)
    event(marked)
    let start = ContinuousClock.now
    while !marked.living.isEmpty { usleep(5000) }
    return milliseconds(.now - start)
}
