import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The demo's prices of coins and currencies. All modes of the demo use the same prices.
@Suite(.endToEnd) struct DemoTests {
    private static let file = Programs.folder.appending(path: "demo/prices.txt").path
    private let folder = TemporaryFolder()

    /// For each name in `prices.txt`, such as `BTC`, the numbers on its line, as text.
    private func series() throws -> [String: [String]] {
        let lines = try String(contentsOfFile: Self.file, encoding: .utf8).split(separator: "\n")
        let series = lines.filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ").map(String.init) }
        return Dictionary(uniqueKeysWithValues: series.map { ($0[0], Array($0.dropFirst())) })
    }

    /// Runs one clock after another. Each string in `options` contains the options of one clock.
    ///
    /// - Returns: the answers of the demo's source to all ticks.
    private func readings(_ options: [String]) throws -> [Reading] {
        let clocks = options.map { "price-clock \($0); " }.joined()
        let source = "bash \(Programs.folder.path.shellQuoted)/demo/source demo"
        return try RunningProgram.shell("{ \(clocks)} | \(source)").readings()
    }

    private func value(_ reading: Reading) throws -> Double {
        try #require(Double(reading.quote?.price.text ?? "none"))
    }

    @Test func `demo/compute reproduces the demo's price file exactly`() throws {
        let script = "\(Programs.folder.path)/demo/compute"
        let result = RunningProgram.run("awk", ["-f", script, Self.file])
        #expect(try result.output == String(contentsOfFile: Self.file, encoding: .utf8))
        #expect(try Data(contentsOf: URL(filePath: Self.file)).count < 120_000)
    }

    @Test func `the demo's board starts with each coin's last price in prices.txt`() throws {
        // On a busy machine, a source's answer may be late, so up to three runs are made.
        let runs = (0..<3).lazy.map { _ in FrontDoor().run(["--board", "--demo", "--json", "-n1"]) }
        let result = try #require(runs.first { !$0.output.contains("failures") })
        let (prices, series) = (try result.readings(), try series())
        let symbols = prices.compactMap(\.symbol?.text)
        let closes = try FrontDoor().run(["--history", "--demo", "--json", "-n2"] + symbols).readings()
        #expect(prices.count == 16 && prices.allSatisfy { $0.source == "demo" })
        var changes = Set<Int>()
        for price in prices {
            let symbol = try #require(price.symbol)
            let expected = try #require(series[String(symbol.text.dropLast(4))])
            #expect(price.quote?.price.text == expected.last)
            let close = try #require(closes.first { $0.symbol == symbol })
            #expect(close.quote?.price.text == expected[399])
            changes.insert(Int(try value(price) / value(close) * 10_000))
        }
        #expect(changes.count > 12)
        #expect(result.errors == "btc-price: demo: prices of 2024, no network\n")
    }

    @Test(arguments: ["BTC", "XRP"])
    func `the ratio of a coin's prices in two currencies is the day's exchange rate`(coin: String) throws {
        let symbols = ["USD", "EUR", "GBP"].map { "--symbol \(coin)-\($0)" }.joined(separator: " ")
        let prices = try readings(["-n 1 \(symbols)"])
        #expect(prices.map { $0.quote?.currency.code } == ["USD", "EUR", "GBP"])
        #expect(abs(try value(prices[1]) / value(prices[0]) * 1.0826 - 1) < 0.001)
        #expect(abs(try value(prices[2]) / value(prices[1]) / 0.85655 - 1) < 0.001)
    }

    @Test(arguments: ["BTC-USD", "ETH-GBP", "DOGE-EUR"])
    func `candles of every length agree with the daily closes and with the current price`(symbol: String)
        throws
    {
        let lengths = [("1d", 31), ("1h", 168), ("15m", 96), ("5m", 60), ("1m", 60)]
        let clocks = lengths.map { "--candle \($0) -n \($1) --symbol \(symbol)" }
        let all = try readings(["-n 1 --symbol \(symbol)"] + clocks)
        let (now, candles) = (try #require(all.first), all.dropFirst())
        #expect(candles.count == 415 && candles.allSatisfy { $0.quote != nil })
        let closes = candles.filter { $0.candle == .day }.dropLast()
        for close in closes.suffix(6) {
            let same = candles.filter { $0.quote?.timestamp == close.quote?.timestamp }
            #expect(same.count > 1 && Set(same.map { $0.quote?.price.text }).count == 1)
        }
        for (before, after) in zip(candles, candles.dropFirst()) where before.candle == after.candle {
            #expect(abs(try value(after) / value(before) - 1) < (after.candle == .day ? 0.2 : 0.1))
        }
        for length in Candle.allCases {
            #expect(try #require(candles.last { $0.candle == length }).quote?.price == now.quote?.price)
        }
    }

    @Test func `the demo returns the same closes in every run, up to the maximum of 999 days`() throws {
        let (all, last) = (try readings(["--candle 1d -n 999"]), try readings(["--candle 1d -n 500"]))
        #expect(all.count == 999 && all.allSatisfy { $0.quote != nil })
        #expect(all.suffix(500).map { $0.quote?.price } == last.map { $0.quote?.price })
    }

    @Test func `the demo shows the prices of the given symbols and reports an unknown symbol only once`() {
        let result = FrontDoor().run(["--demo", "-n2", "--interval=300ms", "eth-usd", "BTC-GBP", "PEPE-USD"])
        let shown = result.lines.filter { $0.contains(" - ") }.map { $0.split(separator: " - ")[1] }
        // Within a beat, the lines may appear in any order.
        #expect(shown.prefix(2).sorted() == ["BTC-GBP £48,402.25", "ETH-USD $3,340.09"])
        #expect(shown.dropFirst(2).sorted() == ["BTC-GBP £48,403.75", "ETH-USD $3,339.84"])
        #expect(result.lines.count { $0 == "PEPE-USD -" } == 2)
        #expect(
            result.errors == """
                btc-price: demo: prices of 2024, no network; the sources fail and recover
                btc-price: demo: no price for PEPE-USD

                """)
        #expect(result.status == 0)
    }

    @Test(.enabled(if: Programs.has("tmux"), "needs tmux"))
    func `the full-screen demo marks prices as made up and does not print demo messages when it ends`() {
        let command = "btc-price --demo --screen --interval 300ms ETH-EUR; echo status $?; sleep 60"
        let terminal = TmuxTerminal(80, 20, running: command)
        #expect(terminal.text { $0.contains("made up") }.contains("ETH-EUR"))
        terminal.type("q")
        // On a busy machine, the source may answer the first tick too late, which causes a warning.
        let end = terminal.text { $0.contains("status") }.split(separator: "\n")
        #expect(end.filter { !$0.hasSuffix(": source 1: no answer within 800 ms") } == ["status 0"])
    }
}
