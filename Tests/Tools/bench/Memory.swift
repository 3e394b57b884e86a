import Foundation
import TestSupport

/// Proportional memory of the running pipeline with three sources.
func memory(_ options: BenchOptions, _ report: Report) {
    guard FileManager.default.fileExists(atPath: "/proc/self/smaps_rollup") else {
        report.row("proportional memory (PSS)", ours: "needs /proc", holds: nil)
        return
    }
    let (sources, marked) = (LocalSources(), MarkedProcesses())
    // The primary fails, so that the fallbacks also work.
    let command = """
        btc-price --interval 100ms --primary 'price-fetch --url \(sources.url("none")) binance' \
        --fallback '\(sources.fetch("cryptocompare"))' --fallback '\(sources.fetch("coinbase"))'
        """
    let running = RunningProgram(
        "bash", ["-c", "exec \(command)"],
        environment: sources.environment.merging(marked.environment) { $1 })
    for line in 0..<options.count(100, quick: 30) {
        precondition(running.readLine() != nil, "line \(line) did not come: \(running.errors)")
    }
    var shares: [String: Double] = [:]
    for (process, command) in marked.living {
        let words = command.split(separator: " ").map { String($0.split(separator: "/").last ?? "") }
        let name = words.first { $0.hasPrefix("price-") } ?? "shell"
        shares[name == "price-clock" ? "shell" : name, default: 0] += proportionalMegabytes(process)
    }
    running.signal(SIGTERM)
    _ = running.result()
    let total = shares.values.reduce(0, +)
    let parts = shares.sorted { $0.value > $1.value }.map { "\($0.key) \(number($0.value))" }
    report.row(
        "proportional memory (PSS), three sources",
        ours: "\(number(total)) MB: \(parts.joined(separator: ", "))",
        goal: "≤ 27 MB", holds: total <= 27)
}

private func proportionalMegabytes(_ process: Int32) -> Double {
    let rollup = (try? String(contentsOfFile: "/proc/\(process)/smaps_rollup", encoding: .utf8)) ?? ""
    let line = rollup.split(separator: "\n").first { $0.hasPrefix("Pss:") }
    return (line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
}
