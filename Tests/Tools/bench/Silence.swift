import PipeCommon
import TestSupport

/// How late the last line of a beat is when no source answers, with many symbols.
func silence(_ options: BenchOptions, _ report: Report) {
    for symbols in [500, 5000] {
        let latest = latestLine(of: symbols, beats: options.count(5, quick: 2))
        report.row(
            "\(symbols) symbols, all sources silent: the latest line after its tick",
            ours: latest.map { "\(number($0, 2)) s" } ?? "not every tick was answered", goal: "≤ 1.05 s",
            holds: latest.map { $0 <= 1.05 } ?? false)
    }
}

/// - Returns: seconds from the first byte of a beat to its last line, for the slowest beat; nil if a line is missing.
private func latestLine(of symbols: Int, beats: Int) -> Double? {
    let running = RunningProgram("price-fallback", ["cat >/dev/null", "cat >/dev/null"])
    defer { _ = running.finish() }
    var latest = 0.0
    for beat in 0..<beats {
        let ticks = (0..<symbols).map { "{\"tick\":\(beat),\"symbol\":\"S\($0)-USD\"}\n" }.joined()
        let start = ContinuousClock.now
        running.write(ticks)
        for _ in 0..<symbols where running.readLine() == nil { return nil }
        latest = max(latest, (ContinuousClock.now - start) / .seconds(1))
    }
    return latest
}
