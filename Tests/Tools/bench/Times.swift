import Foundation
import PipeCommon
import Synchronization
import TestSupport

/// The time from the last byte of the exchange's answer to the printed line, compared with the time that a
/// line takes to pass through three `cat` processes.
func latency(_ bench: Bench) {
    // The first lines do not count, because the programs are still starting. `start` measures that delay.
    let (first, count) = (10, bench.count(1000, quick: 150))
    let sent = Mutex<[ContinuousClock.Instant]>([])
    let sources = LocalSources { sent.withLock { $0.append(.now) } }
    let running = bench.start("btc-price --interval 20ms -n \(first + count) \(sources.options)")
    let printed = (0..<first + count).map { _ in
        running.exchange()
        return ContinuousClock.now
    }
    // The last line may be printed before the server has recorded when it sent the last answer.
    usleep(100_000)
    let answered = sent.withLock { $0 }
    precondition(answered.count == printed.count, "\(answered.count) answers to \(printed.count) ticks")
    let ours = Sample(zip(answered, printed).dropFirst(first).map { ($1 - $0) / .milliseconds(1) })
    let cats = bench.start("cat | cat | cat")
    let times = (0..<count).map { _ in
        usleep(20_000)
        return time { cats.exchange("Nov 21, 14:03 - $68,901.23\n") }
    }
    func row(_ measure: String, _ percent: Double, _ goal: Goal) {
        let other = ("three cat processes", { Sample(times).percentile(percent) })
        bench.compare(measure, " ms", goal: goal, to: other) { ours.percentile(percent) }
    }
    row("time from the last byte of the answer to the printed line, median", 50, .ratio("≤", 1.5))
    row("the same, 99th percentile", 99, .atMost(1))
}

/// The lateness of the clock's ticks: the time from the moment at which a tick is due until the tick is read.
func clock(_ bench: Bench) {
    let count = bench.count(300, quick: 40)
    let clock = bench.start("price-clock --interval 100ms -n \(count)")
    let lateness = (0..<count).map { _ in
        let tick = try! Tick(line: clock.exchange()[0].utf8)
        return Date().timeIntervalSince1970 * 1000 - Double(tick.at!.milliseconds)
    }
    bench.compare("lateness of \(count) ticks, 99th percentile", " ms", goal: .atMost(3)) {
        Sample(lateness).percentile(99)
    }
}

/// The time from the start of `btc-price` to its first line.
func start(_ bench: Bench) {
    let sources = LocalSources()
    bench.compare("time from the command to the first line", " ms", runs: 20, goal: .atMost(60)) {
        bench.run("read -r line < <(exec btc-price -n 1 \(sources.options) 2>/dev/null)").wall
    }
}

/// The time that a beat with 5,000 symbols takes if no source answers, from its ticks to its last reading.
func silence(_ bench: Bench) {
    let fallback = bench.start("exec price-fallback 'cat >/dev/null' 'cat >/dev/null'")
    let measure = "5000 symbols, all sources silent: time from the ticks to the last line"
    bench.compare(measure, " s", runs: 5, goal: .atMost(1.05)) {
        time { fallback.exchange(ticks(0, symbols: 5000), for: 5000) } / 1000
    }
}

/// How long the last process of a pipeline lives on after the pipeline's reader goes away, or after
/// `btc-price` or one of its stages is killed. The interval is an hour, so that no process ends only because
/// it fails to write the next tick.
func ending(_ bench: Bench) {
    guard isLinux else { return bench.skip("the last process is gone", needs: "/proc") }
    let stages = ["price-fallback", "price-cache", "price-format"].map { ("\($0) is killed", "", "\($0) ") }
    let more = [("the reader goes away", "| head -1", ""), ("the script is killed", "& wait", "/btc-price ")]
    for (event, rest, victim) in more + stages {
        let measure = "\(event): the last process is gone after"
        bench.compare(measure, " ms", runs: 10, goal: .atMost(300)) {
            let sources = "--primary 'bench --answer' --fallback 'bench --answer'"
            let running = bench.start("btc-price --interval 1h \(sources) \(rest)")
            running.exchange()
            if !victim.isEmpty { kill(bench.processes.id(of: victim)!, SIGKILL) }
            return time { while !bench.processes.living.isEmpty { usleep(5000) } }
        }
    }
}
