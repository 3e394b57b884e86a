import TestSupport

/// Processor time per tick of the whole pipeline, compared with a shell loop at the same beat, because a processor that
/// does other work in between is slower for both.
func tick(_ options: BenchOptions, _ report: Report) {
    let sources = LocalSources()
    let beat = options.isQuick ? "0.1" : "0.25"
    let count = options.count(80, quick: 40)
    let request = "curl -s \(sources.url("binance")) | jq -r .price"
    let requests = count / 4
    let loop = """
        for ((i = 0; i < \(requests); i++)); do \(request); read -rt \(beat) -u 3; done 3<> <(:); true
        """
    let hasPeer = Programs.has("jq") && Programs.has("curl")
    var (ours, others): ([Double], [Double]) = ([], [])
    for _ in 0..<options.count(3, quick: 1) {
        ours.append(
            perTick(count) { count in
                sources.pipeline("--interval \(beat) -n \(count)")
            } environment: {
                sources.environment
            })
        if hasPeer { others.append(Cost.of(loop).processor / Double(requests)) }
    }
    let ratio = hasPeer ? Sample(zip(ours, others).map { $1 / $0 }) : nil
    report.row(
        "processor time per tick, all processes", ours: Sample(ours).text(" ms", scale: 1000, digits: 2),
        other: hasPeer
            ? "bash, curl, jq: \(Sample(others).text(" ms", scale: 1000))" : "curl or jq is missing",
        ratio: ratio.map { "1/\($0.text("", digits: 0))" } ?? "–", goal: "≤ 1/35",
        holds: ratio.map { $0.median >= 35 })
    if let old = options.old { compare(with: old, sources, count: options.count(240, quick: 60), report) }
}

/// Runs the same four programs of both builds in turn, at a short beat, so that other work averages out.
private func compare(with old: String, _ sources: LocalSources, count: Int, _ report: Report) {
    let ratios = (0..<7).map { _ in
        let costs = ["$PATH", "\(old.shellQuoted):$PATH"].map { path in
            perTick(count) { count in
                """
                PATH=\(path)
                price-clock --interval 20ms -n \(count) |
                    price-fallback '\(sources.fetch("binance"))' '\(sources.fetch("cryptocompare"))' \
                        '\(sources.fetch("coinbase"))' |
                    price-cache | price-format
                """
            } environment: {
                sources.environment
            }
        }
        return costs[0] / costs[1]
    }
    report.row(
        "the same, against the old build", ours: "–", ratio: "\(Sample(ratios).text("", digits: 2)) ×",
        goal: "≤ 1.02 ×", holds: Sample(ratios).median <= 1.02)
}

/// Processor time per beat with 1, 5 and 25 symbols.
func growth(_ options: BenchOptions, _ report: Report) {
    growth(options, report, of: "bitstamp", "processor time per beat with 1, 5, 25 symbols")
    growth(options, report, of: "binance", "the same with several symbols per request")
}

private func growth(_ options: BenchOptions, _ report: Report, of source: String, _ measure: String) {
    let sources = LocalSources()
    let count = options.count(60, quick: 15)
    let costs = [1, 5, 25].map { symbols in
        perTick(count) { count in
            let words = (1...symbols).map { "--symbol S\($0)-USD" }.joined(separator: " ")
            let stream = "price-fetch --base \(sources.base) \(source)"
            return """
                price-clock --interval 200ms -n \(count) \(words) |
                    price-fallback '\(stream)' '\(stream)' | price-cache | price-format
                """
        } environment: {
            sources.environment
        }
    }
    report.row(
        measure, ours: costs.map { "\(number($0 * 1000, 2)) ms" }.joined(separator: ", "),
        other: "with 1 symbol", ratio: costs.map { number($0 / costs[0]) }.joined(separator: ", "),
        goal: "≤ 6 with 25", holds: costs[2] <= 6 * costs[0])
}

/// The cost of one more tick: the difference between a long run and a short one, so that startup does not count.
func perTick(
    _ count: Int, _ command: (Int) -> String, environment: () -> [String: String]
) -> Double {
    let short = 5
    let costs = [short, short + count].map { count in
        Cost.of("\(command(count)) >/dev/null", environment: environment()).processor
    }
    return (costs[1] - costs[0]) / Double(count)
}
