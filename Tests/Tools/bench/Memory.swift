import Foundation
import TestSupport

/// The proportional memory (PSS) of the running pipeline with three sources.
func memory(_ bench: Bench) {
    let measure = "proportional memory (PSS), three sources"
    guard isLinux else { return bench.skip(measure, needs: "/proc") }
    let sources = LocalSources()
    // The primary fails, so that the fallbacks are also queried.
    let options = sources.options.replacing("/binance", with: "/none")
    let running = bench.start("exec btc-price --interval 100ms \(options)")
    running.exchange(for: bench.count(100, quick: 30))
    var shares: [String: Double] = [:]
    for (process, command) in bench.processes.living {
        let program = command.split(separator: " ")[0].split(separator: "/").last.map(String.init) ?? ""
        let rollup = processFile("smaps_rollup", of: process)
        shares[program, default: 0] += Double(rollup.firstMatch(of: /Pss: +(\d+)/)?.output.1 ?? "0")! / 1024
    }
    let parts = shares.sorted { $0.value > $1.value }.map { "\($0.key) \(number($0.value))" }
    bench.compare(measure, " MB", ": " + parts.joined(separator: ", "), goal: .atMost(27)) {
        shares.values.reduce(0, +)
    }
}
