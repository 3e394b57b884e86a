import PipeCommon
import TestSupport

/// Measures how fast a recording passes through `price-cache` and through `price-format`, and how fast
/// `price-fallback` answers ticks.
func replay(_ bench: Bench) {
    let (count, tickCount) = (bench.count(1_000_000, quick: 140_000), bench.count(300_000, quick: 100_000))
    // Readings with quotes whose timestamps are a second apart.
    let readings = (0..<count).map { quoteLine(price($0 % 9973), tick: $0, at: anyTime($0 * 1000)) + "\n" }
    bench.folder.write("readings", readings.joined())
    bench.folder.write("ticks", ticks(tickCount))
    func rate(_ lines: Int, _ time: Double) -> Double { Double(lines) / time * 1000 }
    for (stage, goal, jq) in [
        ("price-cache", 10.0, "jq -c '.error=false'"),
        ("price-format", 5, #"jq -r '.quote.timestamp + " - $" + .quote.value'"#),
    ] {
        let ours = { bench.run("\(stage) <readings >/dev/null") }
        let other = { rate(count / 4, bench.run("head -\(count / 4) readings | \(jq) >/dev/null").wall) }
        let jq = Programs.has("jq") ? ("jq", other) : nil
        bench.compare("lines per second through `\(stage)`", runs: 5, goal: .ratio("≥", goal), to: jq) {
            rate(count, ours().wall)
        }
        let measure = "the same per second of processor time"
        bench.compareWithOld(measure, runs: 5, goal: .ratio("≥", 1)) { rate(count, ours().processor) }
    }
    let measure = "readings per second through `price-fallback`, two instant sources"
    bench.compare(measure, runs: 5, goal: Goal(sign: "≥", limit: 50_000)) {
        rate(tickCount, bench.run("price-fallback 'bench --answer' 'bench --answer' <ticks >answers").wall)
    }
    bench.run("[[ $(grep -c '\"source\"' answers) == \(tickCount) ]]")
}

/// The time to turn the stored candles of 1,000 days in three currencies into a table.
func history(_ bench: Bench) {
    let days = (-1000..<0).flatMap { day in ["BTC-EUR", "BTC-USD", "BTC-GBP"].map { (day, $0) } }
    let readings = days.map { candleLine("\(60_000 + $0 * 7 % 9973).25", symbol: $1, day: $0) + "\n" }
    bench.folder.write("readings", readings.joined())
    bench.folder.write("ticks", days.map { dayTick($0 + 1000, symbol: $1, day: $0).text + "\n" }.joined())
    bench.run("price-cache <readings >/dev/null")
    let measure = "time from the store to the table, 1,000 days in three currencies"
    bench.compare(measure, " ms", runs: 15, goal: .atMost(50)) {
        bench.run("price-cache --answer <ticks | price-format --style table >table").wall
    }
    bench.run("[[ $(wc -l <table) == 1001 ]]")
}
