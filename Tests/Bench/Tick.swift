import TestSupport

/// Processor time a tick: the whole pipeline, all its processes, beside a loop of the shell.
func tick(_ options: BenchOptions, _ report: Report) {
    let sources = LocalSources()
    let count = options.count(120, quick: 60)
    let ours = perTick(count) { count in
        sources.pipeline("--interval \(options.isQuick ? "100ms" : "250ms") -n \(count)")
    } environment: {
        sources.environment
    }
    var other: Double?
    if Programs.has("jq"), Programs.has("curl") {
        let request = "curl -s \(sources.url("binance")) | jq -r .price"
        let loop = "for ((i = 0; i < \(count); i++)); do \(request); done"
        other = Cost.of(loop).processor / Double(count)
    }
    report.row(
        "processor time a tick, all processes", ours: "\(number(ours * 1000, 2)) ms",
        other: other.map { "bash, curl, jq: \(number($0 * 1000, 1)) ms" } ?? "curl or jq is missing",
        ratio: other.map { "1/\(number($0 / ours, 0))" } ?? "–", goal: "≤ 1/20",
        holds: other.map { ours <= $0 / 20 })
}

/// Processor time a beat with 1, 5 and 25 symbols.
func growth(_ options: BenchOptions, _ report: Report) {
    let sources = LocalSources()
    let count = options.count(60, quick: 15)
    let costs = [1, 5, 25].map { symbols in
        perTick(count) { count in
            let words = (1...symbols).map { "--symbol S\($0)-USD" }.joined(separator: " ")
            let stream = "price-fetch --url \(sources.url("coinbase")) --price /data/amount"
            return """
                price-clock --interval 200ms -n \(count) \(words) |
                    price-fallback '\(stream)' '\(stream)' | price-cache | price-format
                """
        } environment: {
            sources.environment
        }
    }
    report.row(
        "processor time a beat with 1, 5, 25 symbols",
        ours: costs.map { "\(number($0 * 1000, 2)) ms" }.joined(separator: ", "),
        other: "the first by 5 and 25", ratio: costs.map { number($0 / costs[0]) }.joined(separator: ", "),
        goal: "< 5, < 25", holds: costs[1] < 5 * costs[0] && costs[2] < 25 * costs[0])
}

/// What a tick more costs: a long run less a short one, so that starting is not in it.
private func perTick(
    _ count: Int, _ command: (Int) -> String, environment: () -> [String: String]
) -> Double {
    let short = 5
    let costs = [short, short + count].map { count in
        Cost.of("\(command(count)) >/dev/null", environment: environment()).processor
    }
    return (costs[1] - costs[0]) / Double(count)
}
