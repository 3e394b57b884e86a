import Foundation
import PipeCommon
import Synchronization
import TestSupport

/// How late the clock's ticks are, and whether they drift, compared with a loop that sleeps.
func clock(_ options: BenchOptions, _ report: Report) {
    let (count, interval) = (options.count(300, quick: 40), 0.1)
    let running = RunningProgram(
        "bash", ["-c", "price-clock --interval \(Int(interval * 1000))ms -n \(count)"])
    let machine = Mutex(Sample([]))
    let watch = DispatchGroup()
    DispatchQueue.global().async(group: watch) {
        let late = sleepLateness(count, interval)
        machine.withLock { $0 = late }
    }
    let lateness = (0..<count).map { _ in
        let line = running.readLine() ?? ""
        let now = Date().timeIntervalSince1970
        guard let tick = try? Tick(line: line.utf8), let at = tick.at else {
            fatalError("no tick: \(line)")
        }
        return (due: Double(at.milliseconds) / 1000, late: now - Double(at.milliseconds) / 1000)
    }
    watch.wait()
    let late = Sample(lateness.map(\.late))
    let drift = lateness.last!.due - lateness[0].due - Double(count - 1) * interval
    let other = sleepDrift(min(count, 60), interval)
    report.row(
        "lateness of \(count) ticks, 99th percentile", ours: "\(number(late.percentile(99) * 1000)) ms",
        other: "a bare sleep: \(number(machine.withLock { $0.percentile(99) } * 1000)) ms", goal: "≤ 3 ms",
        holds: late.percentile(99) <= 0.003)
    report.row(
        "drift per tick", ours: "\(number(drift / Double(count - 1) * 1000, 2)) ms",
        other: "while sleep, 30 ms of work: \(number(other * 1000)) ms", goal: "none",
        holds: abs(drift) < 0.002)
}

/// How late the machine itself is, in seconds, when a thread only sleeps until each beat.
private func sleepLateness(_ count: Int, _ interval: Double) -> Sample {
    let start = Date().timeIntervalSince1970
    return Sample(
        (1...count).map { beat in
            let due = start + Double(beat) * interval
            Thread.sleep(forTimeInterval: max(0, due - Date().timeIntervalSince1970))
            return Date().timeIntervalSince1970 - due
        })
}

/// How many seconds longer than its interval a beat of `while sleep` takes with 30 ms of work.
private func sleepDrift(_ count: Int, _ interval: Double) -> Double {
    let loop = "while sleep \(interval); do sleep 0.03; echo; done"
    let running = RunningProgram("bash", ["-c", loop])
    _ = running.readLine()
    let start = ContinuousClock.now
    for _ in 0..<count { _ = running.readLine() }
    return (ContinuousClock.now - start) / .seconds(1) / Double(count) - interval
}
