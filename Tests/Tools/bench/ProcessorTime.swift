import PipeCommon
import Synchronization
import TestSupport

/// Processor time per request of `price-fetch` alone, one request at a time over a persistent connection.
func request(_ bench: Bench) {
    let sources = LocalSources()
    let ours = { perRequest(bench, sources) }
    let measure = "processor time per request, `price-fetch` alone"
    bench.compare(measure, " ms", runs: 5, goal: .atMost(0.2), ours: ours)
    bench.compareWithOld("the same", " ms", runs: 5, goal: .ratio("≤", 1.02), ours: ours)
}

private func perRequest(_ bench: Bench, _ sources: LocalSources) -> Double {
    bench.perExchange(sources.fetch("binance"), bench.count(2000, quick: 300)) { _ in "{}\n" }
}

/// Processor time per message of a push feed, compared with the processor time per request without a feed.
func push(_ bench: Bench) {
    let measure = "processor time per pushed message, `price-fetch` alone"
    guard PushServer.isPossible else { return bench.skip(measure, needs: "openssl") }
    let (sources, count) = (LocalSources(), bench.count(200_000, quick: 20_000))
    bench.compare(
        measure, " µs", runs: 5, to: ("a polled request", { perRequest(bench, sources) * 1000 })
    ) { perUnit(count, after: 1000) { cost(ofMessages: $0, bench) } * 1000 }
}

private func cost(ofMessages count: Int, _ bench: Bench) -> Double {
    let sent = Atomic(0)
    let server = PushServer {
        let first = sent.add(100, ordering: .relaxed).oldValue
        return (first..<max(first, min(first + 100, count))).map {
            PushServer.message("S\($0 % 25)USDT", price($0))
        }
    }
    defer { server.close() }
    return bench.run("exec price-fetch --push --timeout 60s --url \(server.url) binance") { fetch in
        // Once the price of the last message is printed, all messages have been received.
        let (beat, last) = (ticks(1, symbols: 25), price(count - 1))
        while !fetch.exchange(beat, for: 25).contains(where: { $0.contains(last) }) { usleep(20_000) }
    }.processor
}

/// Processor time per tick of the whole pipeline, compared with the processor time per round of a shell loop.
/// A tick or a round takes more processor time after a longer pause, because other programs use the processor in
/// the meantime. Therefore, both are measured at about the same interval.
func tick(_ bench: Bench) {
    let sources = LocalSources()
    let fetches = ["binance", "bitstamp", "coinbase"].map(sources.fetch)
    let request = "curl -s \(sources.url("binance")) | jq -r .price"
    let loop = "for i in {1..20}; do \(request); read -rt .25 -u 3; done 3<> <(:); true"
    let hasTools = Programs.has("jq") && Programs.has("curl")
    let other = hasTools ? ("bash, curl, jq", { bench.run(loop).processor / 20 }) : nil
    let measure = "processor time per tick, all processes"
    bench.compare(measure, " ms", runs: 3, goal: .ratio("≤", 1 / 35), to: other) {
        perTick(bench, every: "250ms", bench.count(80, quick: 20), fetches)
    }
    // Many ticks in a short time average out the effects of other work.
    bench.compareWithOld("the same, every 20 ms", " ms", runs: 7, goal: .ratio("≤", 1.02)) {
        perTick(bench, every: "20ms", bench.count(240, quick: 60), fetches)
    }
}

/// Processor time per beat with 25 symbols, compared with the processor time with 1 symbol.
func growth(_ bench: Bench) {
    let sources = LocalSources()
    for (source, measure) in [
        ("bitstamp", "processor time per beat with 25 symbols"),
        ("binance", "the same with several symbols per request"),
    ] {
        let (fetch, count) = (sources.fetchAll(source), bench.count(60, quick: 15))
        let perBeat = { perTick(bench, every: "200ms", count, symbols: $0, [fetch, fetch]) }
        bench.compare(measure, " ms", goal: .ratio("≤", 6), to: ("1 symbol", { perBeat(1) })) { perBeat(25) }
    }
}

private func perTick(
    _ bench: Bench, every interval: String, _ count: Int, symbols: Int = 0, _ sources: [String]
) -> Double {
    let words = (0..<symbols).map { "--symbol S\($0)-USD" }.joined(separator: " ")
    let fallback = "price-fallback \(sources.map(\.shellQuoted).joined(separator: " "))"
    return perUnit(count, after: 5) { count in
        let clock = "price-clock --interval \(interval) -n \(count) \(words)"
        return bench.run("\(clock) | \(fallback) | price-cache | price-format >/dev/null").processor
    }
}

/// Processor time per tick of `price-cache --answer` with a fresh quote in the store.
func answer(_ bench: Bench) {
    bench.folder.write("readings", quoteLine(at: .now()) + "\n")
    bench.run("price-cache <readings >/dev/null")
    let (measure, cache) = (
        "processor time per tick, `price-cache --answer`", "price-cache --answer --fresh-for 1d"
    )
    bench.compare(measure, " ms", runs: 5, goal: .atMost(0.1)) {
        bench.perExchange(cache, bench.count(50, quick: 5), lines: 1000) { _ in ticks(1000) } / 1000
    }
}
