import Foundation
import PipeCommon
import TestSupport

/// Processor time of each stage per symbol and beat, when all prices change. It should not depend on the number of
/// symbols.
func symbols(_ options: BenchOptions, _ report: Report) {
    let beats = options.count(5, quick: 2)
    for count in options.isQuick ? [100, 1000] : [100, 1000, 10_000] {
        func row(_ stage: String, goal: Double, _ cost: (Int) -> Double) {
            // Excludes the cost of startup and of the first beat.
            let each = (cost(1 + beats) - cost(1)) / Double(beats * count) * 1_000_000
            report.row(
                "processor time per symbol and beat, \(count) symbols: \(stage)",
                ours: "\(number(each)) µs", goal: "≤ \(number(goal, 0)) µs", holds: each <= goal)
        }
        // Reading the symbols costs price-clock more than the beats do, so a single measurement is too coarse.
        row("price-clock", goal: 20) { beats in (0..<3).map { _ in clock(count, beats: beats) }.min()! }
        row("price-fallback", goal: 8) { fallback(count, beats: $0) }
        row("price-cache, with its files", goal: 20) { cache(count, beats: $0) }
        row("price-format --style bar", goal: 8) { bar(count, beats: $0) }
        row("price-format --style board", goal: 8) { beats in
            Cost.ofChildren { _ = draw(beats: beats, symbols: count) }
        }
    }
}

private func clock(_ count: Int, beats: Int) -> Double {
    let folder = TemporaryFolder()
    folder.write("symbols", (0..<count).map { "S\($0)-USD\n" }.joined())
    let command = "price-clock --interval 1ms -n \(beats) --symbols \(folder.path)/symbols >/dev/null"
    return Cost.of(command).processor
}

/// The processor time of `price-fallback` without its source's time.
private func fallback(_ count: Int, beats: Int) -> Double {
    let costs = [("price-fallback", ["bench --answer"]), ("bench", ["--answer"])].map { program, words in
        cost(of: program, words, beats) { running, beat in
            running.write((0..<count).map { "{\"tick\":\(beat),\"symbol\":\"S\($0)-USD\"}\n" }.joined())
            for _ in 0..<count { precondition(running.readLine() != nil, running.errors) }
        }
    }
    return costs[0] - costs[1]
}

/// Each beat is sent after the preceding beat was stored: in memory if possible, since the cost of a disk is not
/// ours.
private func cache(_ count: Int, beats: Int) -> Double {
    let files = FileManager.default
    let place = files.fileExists(atPath: "/dev/shm") ? "/dev/shm" : files.temporaryDirectory.path
    let store = "\(place)/btc-price-bench-\(UUID().uuidString)"
    defer { try? files.removeItem(atPath: store) }
    return cost(of: "price-cache", [], beats, ["XDG_CACHE_HOME": store]) { running, beat in
        running.write(readings(count, beat))
        for _ in 0..<count { precondition(running.readLine() != nil, running.errors) }
        let text = Data(price(beat).utf8)
        for symbol in 0..<count {
            let file = "\(store)/btc-price/S\(symbol)-USD.json"
            while files.contents(atPath: file)?.range(of: text) == nil { usleep(1000) }
        }
    }
}

private func bar(_ count: Int, beats: Int) -> Double {
    cost(of: "price-format", ["--style", "bar"], beats) { running, beat in
        running.write(readings(count, beat))
        precondition(running.readLine() != nil, running.errors)
    }
}

private func cost(
    of program: String, _ words: [String], _ beats: Int, _ environment: [String: String] = [:],
    beat: (RunningProgram, Int) -> Void
) -> Double {
    Cost.ofChildren {
        let running = RunningProgram(program, words, environment: environment)
        for number in 0..<beats { beat(running, number) }
        let result = running.finish()
        precondition(result.status == 0, result.errors)
    }
}

private func price(_ beat: Int) -> String { "\(100 + beat).50" }

private func readings(_ count: Int, _ beat: Int) -> String {
    let now = Timestamp.now()
    return (0..<count).map { quoteLine(price(beat), tick: beat, symbol: "S\($0)-USD", at: now) + "\n" }
        .joined()
}
