import Foundation
import PipeCommon
import TestSupport

/// Sends a recording through one stage at a time, as fast as possible.
func replay(_ options: BenchOptions, _ report: Report) {
    let folder = TemporaryFolder()
    let count = options.count(1_000_000, quick: 140_000)
    let file = "\(folder.path)/readings"
    folder.write("readings", recording(of: count))
    let runs = options.count(5, quick: 3)
    let stages = [
        ("price-cache", "jq -c '.error=false'", 10.0),
        ("price-format", #"jq -r '.quote.timestamp + " - $" + .quote.value'"#, 5),
    ]
    for (stage, jq, goal) in stages {
        var (ours, others, paired): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<runs {
            let environment = ["XDG_CACHE_HOME": folder.path]
            let cost = Cost.of("\(stage) <\(file) >/dev/null", environment: environment)
            ours.append(Double(count) / cost.wall)
            if let old = options.old {
                let command = "\(old.shellQuoted)/\(stage) <\(file) >/dev/null"
                paired.append(Cost.of(command, environment: environment).processor / cost.processor)
            }
            guard Programs.has("jq") else { continue }
            let lines = min(count, 300_000)
            others.append(Double(lines) / Cost.of("head -\(lines) \(file) | \(jq) >/dev/null").wall)
        }
        let (own, other) = (Sample(ours), others.isEmpty ? nil : Sample(others))
        report.row(
            "lines per second through `\(stage)`", ours: own.text("", digits: 0),
            other: other.map { "jq: \($0.text("", digits: 0))" } ?? "jq is missing",
            ratio: other.map { "\(number(own.median / $0.median)) ×" } ?? "–",
            goal: "≥ \(number(goal, 0)) ×", holds: other.map { own.median >= goal * $0.median })
        if !paired.isEmpty {
            report.row(
                "the same per second of processor time, against the old build", ours: "–",
                ratio: "\(Sample(paired).text("", digits: 2)) ×", goal: "≥ 1.0 ×",
                holds: Sample(paired).median >= 1)
        }
    }
    replayTicks(options, report, folder)
}

/// Sends ticks through `price-fallback`, with two sources that answer immediately.
private func replayTicks(_ options: BenchOptions, _ report: Report, _ folder: TemporaryFolder) {
    let count = options.count(300_000, quick: 100_000)
    folder.write("ticks", (0..<count).map { "{\"tick\":\($0)}\n" }.joined())
    let source = "bench --answer"
    let rates = (0..<options.count(5, quick: 3)).map { _ in
        let command = "price-fallback '\(source)' '\(source)' <\(folder.path)/ticks >\(folder.path)/answers"
        let cost = Cost.of(command)
        let answered = RunningProgram.shell("grep -c '\"source\"' \(folder.path)/answers").lines.first
        precondition(answered == "\(count)", "\(answered ?? "no") of \(count) ticks got a quote")
        return Double(count) / cost.wall
    }
    let sample = Sample(rates)
    report.row(
        "readings per second through `price-fallback`, two instant sources",
        ours: sample.text("", digits: 0), goal: "≥ 50,000", holds: sample.median >= 50_000)
}

/// Fresh readings, a second apart, whose price is a random walk.
private func recording(of count: Int) -> String {
    var random = SeededRandom(1)
    var cents = 6_114_109
    let first = Timestamp("2024-03-01T00:00:00.000Z")!.milliseconds
    var text = ByteBuffer()
    for tick in 0..<count {
        cents += Int.random(in: -500...500, using: &random)
        let price = "\(cents / 100).\(String(cents % 100 + 100).dropFirst())"
        let at = Timestamp(milliseconds: first + tick * 1000)
        let quote = Quote(
            price: Price(price)!, currency: .usDollar,
            timestamp: Timestamp(
                milliseconds: at.milliseconds + Int.random(in: 40...200, using: &random)))
        Reading(answering: Tick(number: tick, at: at), quote, from: "binance").append(to: &text)
        text.append(UInt8(ascii: "\n"))
    }
    return text.text
}
