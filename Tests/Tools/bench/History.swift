import PipeCommon
import TestSupport

/// The time from the stored candles of 1,000 days in three currencies to the table, compared with jq on the same files.
func history(_ options: BenchOptions, _ report: Report) {
    let folder = TemporaryFolder()
    let symbols = ["BTC-EUR", "BTC-USD", "BTC-GBP"]
    let days = -1000..<0
    let readings = days.flatMap { day in
        symbols.map { candleLine("\(60_000 + day * 7 % 9973).25", tick: day + 1000, symbol: $0, day: day) }
    }
    folder.write("readings", readings.map { $0 + "\n" }.joined())
    let ticks = readings.map { line in
        let reading = try! Reading(line: line.utf8)
        return Tick(number: reading.tick, at: reading.at, symbol: reading.symbol, candle: reading.candle).text
    }
    folder.write("ticks", ticks.map { $0 + "\n" }.joined())
    let environment = ["XDG_CACHE_HOME": folder.path, "FOLDER": folder.path]
    _ = Cost.of("cd \"$FOLDER\" && price-cache <readings >/dev/null", environment: environment)

    let ours = "cd \"$FOLDER\" && price-cache --answer <ticks | price-format --style table >table"
    let other = """
        cd "$FOLDER/btc-price" && jq -rn --slurpfile a BTC-EUR~1d.json --slurpfile b BTC-USD~1d.json \\
            --slurpfile c BTC-GBP~1d.json 'def price: .quote.value | tonumber;
            range(1; $a | length) as $day | [$a[$day].quote.timestamp[:10],
            ($a, $b, $c | (.[$day] | price) as $price | $price, ($price / (.[$day - 1] | price) - 1) * 100)] | @tsv' >table
        """
    let runs = options.count(15, quick: 5)
    let samples = (0..<runs).map { _ in
        (Cost.of(ours, environment: environment).wall, Cost.of(other, environment: environment).wall)
    }
    let lines = { (name: String) in (folder.contents(name) ?? "").split(separator: "\n").count }
    precondition(lines("table") == 1001 && lines("btc-price/table") == 999, "the tables are not complete")
    let (mine, jq) = (Sample(samples.map(\.0)), Sample(samples.map(\.1)))
    report.row(
        "1,000 days in three currencies, from the store to the table",
        ours: mine.text(" ms", scale: 1000, digits: 0),
        other: "jq: " + jq.text(" ms", scale: 1000, digits: 0),
        ratio: "1/\(number(jq.median / mine.median, 1))",
        goal: "≤ 50 ms", holds: mine.median <= 0.05)
}
