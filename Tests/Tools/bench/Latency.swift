import Foundation
import PipeCommon
import Synchronization
import TestSupport

/// Milliseconds between two lines, for the pipeline and for `cat`.
private let beat: UInt32 = 20

/// The time from the last byte of the source's answer to the printed line.
func latency(_ options: BenchOptions, _ report: Report) {
    let count = options.count(1000, quick: 150)
    // The first lines wait for the programs to start, so they do not count; `start` measures the time to the first
    // line.
    let first = 10
    let sent = Mutex<[ContinuousClock.Instant]>([])
    let sources = LocalSources { sent.withLock { $0.append(.now) } }
    let printed = arrivals(
        of: first + count, from: sources.pipeline("--interval \(beat)ms -n \(first + count)"),
        sources.environment)
    var answered = sent.withLock { $0 }
    // The last line may be printed before the server has noted when its answer was sent.
    for _ in 0..<100 where answered.count < printed.count {
        usleep(10_000)
        answered = sent.withLock { $0 }
    }
    precondition(answered.count == printed.count, "\(answered.count) answers to \(printed.count) ticks")
    let ours = Sample(zip(answered, printed).dropFirst(first).map { milliseconds($1 - $0) })
    let other = Sample(catLatencies(count))
    report.row(
        "last byte of the answer to the printed line, median",
        ours: "\(number(ours.median, 2)) ms", other: "three cat: \(number(other.median, 2)) ms",
        ratio: "\(number(ours.median / other.median)) ×", goal: "≤ 1.5 ×",
        holds: ours.median <= 1.5 * other.median)
    report.row(
        "the same, 99th percentile", ours: "\(number(ours.percentile(99), 2)) ms",
        other: "three cat: \(number(other.percentile(99), 2)) ms", goal: "≤ 1 ms",
        holds: ours.percentile(99) <= 1)
}

/// When each line of a command arrived.
private func arrivals(
    of count: Int, from command: String, _ environment: [String: String]
) -> [ContinuousClock.Instant] {
    let running = RunningProgram("bash", ["-c", command], environment: environment)
    return (0..<count).map { line in
        let text = running.readLine()
        precondition(text != nil, "line \(line) did not come: \(running.errors)")
        return .now
    }
}

private func catLatencies(_ count: Int) -> [Double] {
    let running = RunningProgram("bash", ["-c", "cat | cat | cat"])
    return (0..<count).map { _ in
        usleep(beat * 1000)
        let start = ContinuousClock.now
        running.write("Nov 21, 14:03 - $68,901.23\n")
        precondition(running.readLine() != nil, "cat did not answer")
        return milliseconds(.now - start)
    }
}

func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }
