import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `btc-price --chart` and the chart on the details page, with candles from an exchange on loopback.
@Suite(.endToEnd) struct ChartProgramTests {
    private let folder = TemporaryFolder(inMemory: true)
    /// The lengths of the candles that were requested from the exchange.
    private let asked = RequestLog()
    private let clock = FakeClock()
    private let server: StubServer

    init() {
        server = StubServer { [asked] request in
            guard let match = request.path.firstMatch(of: /interval=(\w+)&startTime=(\d+)&limit=(\d+)/),
                let candle = Candle(String(match.1)), let first = Int(match.2), let count = Int(match.3)
            else { return .ok(ExchangePayload.binance.body(Symbol("BTC-USD")!, "68901.23")) }
            asked.add(candle.rawValue)
            let length = candle.length.milliseconds
            let rows = (0..<count).map { index in
                let begin = first + index * length
                return
                    "[\(begin),\"1\",\"1\",\"1\",\"\(68_000 + index % 50).50\",\"1\",\(begin + length - 1)]"
            }
            return .ok("[\(rows.joined(separator: ","))]")
        }
    }

    private var words: [String] {
        [
            "--primary", "price-fetch --timeout 4s --base \(server.url("")) binance", "--fallback",
            ShellSource.failing,
        ]
    }

    private func chart(_ range: String, _ more: String..., isOnline: Bool = true) -> RunningProgram.Result {
        let words = isOnline ? words : ["--primary", ShellSource.failing, "--fallback", ShellSource.failing]
        return RunningProgram.run(
            "btc-price", ["--chart", "--range", range] + more + words,
            environment: clock.environment.merging([
                "XDG_CACHE_HOME": folder.path, "LC_ALL": "C.UTF-8", "COLUMNS": "80", "LINES": "12",
                "TZ": "UTC",
            ]) { $1 })
    }

    /// Sets the clock to two minutes and five seconds past the hour, so that no candle ends in the next 50
    /// seconds.
    private func setClockWithinCandles() {
        let offset = 125 - Timestamp.now().milliseconds / 1000 % 3600
        clock.set(offset < 0 ? "\(offset)" : "+\(offset)")
    }

    @Test(.enabled(if: FakeClock.isInstalled, "needs libfaketime"))
    func `in a pipe, the chart is printed once, and stored candles are not requested again`() {
        // Given
        setClockWithinCandles()
        // When
        for range in ["1h", "24h", "7d", "31d", "1y"] {
            let result = chart(range)
            #expect(result.status == 0 && result.errors == "" && result.lines.count == 12, "\(result)")
            #expect(result.lines.first?.hasPrefix("BTC-USD  \(range)  ") == true, "\(result)")
            #expect(result.lines.last?.hasPrefix("Data from ") == true, "\(result)")
            #expect(result.output.contains("┤") && result.output.contains("● $68,0"))
        }
        // Then
        #expect(asked.all == ["1m", "15m", "1h", "1d", "1d"])
        for range in ["24h", "1y"] { _ = chart(range) }
        #expect(asked.all.count == 5, "\(asked.all)")
    }

    @Test func `without a network, the stored candles are shown`() {
        _ = chart("31d")
        let result = chart("31d", isOnline: false)
        #expect(result.status == 0 && result.output.contains("┤"), "\(result)")
    }

    @Test func `without candles, the reason is printed instead of a chart, and the exit status is 69`() {
        let result = chart("7d", isOnline: false)
        #expect(result.status == 69, "\(result)")
        #expect(result.output.hasPrefix("BTC-USD  no data: "), "\(result)")
    }

    @Test func `one chart is printed for each symbol, in the order of the command line`() {
        let result = chart("31d", "ETH-USD", "BTC-USD")
        #expect(result.lines.filter { $0.contains("31d") }.map { $0.prefix(7) } == ["ETH-USD", "BTC-USD"])
        #expect(result.lines.count == 25 && result.lines[12] == "")
    }

    @Test func `with --json, the candles of the chart are printed`() throws {
        let readings = try chart("24h", "--json").readings()
        #expect(readings.count == 96 && readings.allSatisfy { $0.candle == .quarterHour && $0.quote != nil })
    }

    @Test(.enabled(if: FakeClock.isInstalled, "needs libfaketime"))
    func `on a terminal, the details page shows the chart, and keys change the chart's range`() {
        // Given
        setClockWithinCandles()
        var counts: [Int] = []
        for _ in 1...2 {
            let terminal = Terminal(
                environment: clock.environment.merging([
                    "XDG_CACHE_HOME": folder.path, "TZ": "UTC", "LC_ALL": "C.UTF-8",
                ]) { $1 })
            let start = terminal.mark
            // When
            terminal.type(
                "btc-price --chart \(words.map(\.shellQuoted).joined(separator: " ")); echo status $?\r")
            #expect(
                terminal.waitFor("24h  ", after: start) && terminal.waitFor("%\u{1B}[0m   high", after: start)
            )
            for (key, range) in [("\u{1B}[C", "7d"), ("\u{1B}[D", "24h"), ("\u{1B}[D", "1h")] {
                let mark = terminal.mark
                terminal.type(key)
                #expect(
                    terminal.waitFor("\(range)  ", after: mark)
                        && terminal.waitFor("%\u{1B}[0m   high", after: mark))
            }
            terminal.type("q", expecting: "status 0")
            counts.append(asked.all.count)
        }
        // Then daily candles are also requested, since today's change is computed from them
        #expect(Set(asked.all) == ["15m", "1d", "1h", "1m"])
        // On a busy machine, a candle may be requested from the exchange even though it is stored.
        #expect(counts[1] - counts[0] < counts[0])
    }
}
