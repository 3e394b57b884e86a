import TestSupport

/// Processor time per request of `price-fetch` alone, one request at a time over a persistent connection.
func request(_ options: BenchOptions, _ report: Report) {
    let sources = LocalSources()
    let count = options.count(2000, quick: 300)
    func sample(_ program: String) -> Sample {
        Sample(
            (0..<options.count(5, quick: 3)).map { _ in perRequest(count, program, sources.url("binance")) })
    }
    let ours = sample("price-fetch")
    let old = options.old.map { sample("\($0)/price-fetch") }
    report.row(
        "processor time per request, `price-fetch` alone", ours: ours.text(" ms", scale: 1000, digits: 2),
        other: old.map { "the old build: \($0.text(" ms", scale: 1000, digits: 2))" } ?? "–",
        ratio: old.map { "1/\(number($0.median / ours.median))" } ?? "–", goal: "≤ 0.2 ms",
        holds: ours.median <= 0.0002)
}

/// The cost of one more request: the difference between a long run and a short one, so that startup does not count.
func perRequest(_ count: Int, _ program: String, _ url: String) -> Double {
    let short = 20
    let costs = [short, short + count].map { count in
        Cost.ofChildren {
            let running = RunningProgram(program, ["--timeout", "20s", "--url", url, "binance"])
            for _ in 0..<count {
                running.write("{}\n")
                precondition(running.readLine()?.contains("quote") == true, running.errors)
            }
            precondition(running.finish().status == 0, running.errors)
        }
    }
    return (costs[1] - costs[0]) / Double(count)
}
