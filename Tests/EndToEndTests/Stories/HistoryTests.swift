import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `btc-price --history`: stored closing prices are not requested again, and all stored prices are shown even
/// without a network. Most tests use an exchange on loopback and set the wall clock of the programs.
@Suite(.endToEnd, .enabled(if: FakeClock.isInstalled, "needs libfaketime")) struct HistoryTests {
    private let folder = TemporaryFolder()
    private let clock = FakeClock()
    /// The seconds from now to 11:00 UTC today; negative after 11:00. Tests set the clock relative to 11:00,
    /// so that no test runs past midnight by chance.
    private let morning: Int
    private let midnight: Timestamp
    private let server: StubServer
    /// The paths that were requested from the exchange.
    private let asked = RequestLog()

    init() {
        let midnight = Candle.day.beginning(of: .now())
        // There is a row for each day from 40 days ago until the day after tomorrow. Today's price is
        // 1000.50, and the price rises by 1 each day. The server returns only the rows up to the requested
        // end.
        let rows = (0..<43).map {
            (String((midnight + .seconds(86_400 * (2 - $0))).text.prefix(16)), "\(1002 - $0).50")
        }
        server = StubServer { [asked] request in
            asked.add(request.path)
            let last = request.path.firstMatch(of: /end=([^&]*)/)?.output.1 ?? ""
            return .ok(CandlePayload.coinbase.body(rows.filter { $0.0 <= last.replacing("%3A", with: ":") }))
        }
        self.midnight = midnight
        morning = (midnight.milliseconds - Timestamp.now().milliseconds) / 1000 + 11 * 3600
        set(hour: 11)
    }

    /// Sets the clock to the given hour of today in UTC; 24 is the next midnight.
    private func set(hour: Double) {
        let offset = morning + Int((hour - 11) * 3600)
        clock.set(offset < 0 ? "\(offset)" : "+\(offset)")
    }

    private func history(_ words: String..., isOnline: Bool = true) -> RunningProgram.Result {
        let fetch =
            isOnline ? "price-fetch --timeout 4s --base \(server.url("")) coinbase" : ShellSource.failing
        return RunningProgram.run(
            "btc-price", ["--history"] + words + ["--primary", fetch, "--fallback", ShellSource.failing],
            environment: clock.environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 })
    }

    private func readings(_ result: RunningProgram.Result) throws -> [Reading] {
        #expect(result.status == 0)
        return try result.readings()
    }

    /// The readings of one symbol for the last five days.
    private func fiveDays(isOnline: Bool = true) throws -> [Reading] {
        try readings(history("--json", "-n", "5", "BTC-EUR", isOnline: isOnline))
    }

    /// The expected closing prices of `days` days, oldest first. The last day is `today` days after the day
    /// on which the test started.
    private func prices(_ days: Int, today: Int = 0) -> [String] {
        (0..<days).map { "\(1000 + today - days + 1 + $0).50" }
    }

    @Test func `by default, 31 days are shown in three currencies, with one request for each currency`()
        throws
    {
        let readings = try readings(history("--json"))
        #expect(readings.count == 93 && asked.all.count == 3)
        #expect(Set(readings.compactMap { $0.symbol?.text }) == ["BTC-EUR", "BTC-USD", "BTC-GBP"])
        let euros = readings.filter { $0.symbol?.text == "BTC-EUR" }
        #expect(euros.map { $0.quote?.price.text } == prices(31))
        #expect(
            euros.allSatisfy {
                $0.error == false && $0.source == "coinbase" && $0.quote?.currency.code == "EUR"
            })
        #expect(euros.last?.at == midnight)
    }

    @Test func `on the same day, only today's price is requested again, but not before a minute has passed`()
        throws
    {
        _ = try fiveDays()
        #expect(asked.all.count == 1)
        // When the history is shown again within a minute
        set(hour: 11 + 50.0 / 3600)
        #expect(try fiveDays().map { $0.quote?.price.text } == prices(5))
        #expect(asked.all.count == 1)
        // When the history is shown again later on the same day
        set(hour: 15)
        #expect(try fiveDays().map { $0.quote?.price.text } == prices(5))
        #expect(asked.all.count == 2)
        let today = midnight.text.prefix(10)
        #expect(try #require(asked.all.last).contains("start=\(today)"))
    }

    @Test func `after midnight, one request returns yesterday's close and the price of the new day`() throws {
        _ = try fiveDays()
        set(hour: 24.5)
        let readings = try fiveDays()
        #expect(asked.all.count == 2)
        #expect(readings.map { $0.quote?.price.text } == prices(5, today: 1))
        #expect(readings.last?.at == midnight + .seconds(86_400))
    }

    @Test func `offline, all stored prices are shown, and the status is 0`() throws {
        _ = try fiveDays()
        set(hour: 15)
        let readings = try fiveDays(isOnline: false)
        #expect(readings.map { $0.quote?.price.text } == prices(5))
        #expect(readings.map(\.error) == [false, false, false, false, true])
    }

    @Test func `the table's first row also shows the daily change, without a second request`() throws {
        let result = history("-n", "2", "BTC-EUR")
        try #require(result.status == 0 && result.errors == "" && result.lines.count == 4)
        let rows = result.lines.dropFirst().map { $0.replacing("\u{A0}", with: " ") }
        #expect(rows[0].contains("€999.50") && rows[0].contains("+0.10%"))
        #expect(rows[1].contains("€1,000.50") && rows[1].hasSuffix("open"))
        #expect(rows[2].hasPrefix("Data from "))
        #expect(asked.all.count == 1)
    }

    @Test func `the columns keep the order of the symbols even if answers arrive in another order`() throws {
        let day = String(midnight.text.prefix(16))
        let server = StubServer { request in
            let delay = request.path.contains("BTC-USD") ? 0 : request.path.contains("BTC-EUR") ? 400 : 200
            return .ok(CandlePayload.coinbase.body([(day, "2.50")])).after(.milliseconds(delay))
        }
        let result = RunningProgram.run(
            "btc-price",
            [
                "--history", "-n1", "--primary", "price-fetch --timeout 4s --base \(server.url("")) coinbase",
                "--fallback", ShellSource.failing,
            ], environment: ["XDG_CACHE_HOME": folder.path])
        let header = result.lines.first?.split(separator: " ")
        try #require(header == ["BTC-EUR", "BTC-USD", "BTC-GBP"] && result.lines.count == 3)
        #expect(result.lines[1].contains("€2.50") && result.lines[1].hasSuffix("open"))
    }

    @Test func `offline and without stored prices, the status is 69`() {
        let result = history("--json", "BTC-EUR", isOnline: false)
        #expect(result.status == 69 && result.lines.count == 31)
        #expect(
            // On a busy machine, price-cache may first report that the disk is slow.
            result.errors.hasSuffix(
                """
                btc-price: error: no price: neither the sources nor the store provided a usable price
                btc-price: 'btc-price --demo' needs no network

                """))
    }

    @Test func `with --json, each line is printed before the next day's tick is answered`() {
        let first = ShellSource.quoting("1.00").replacing("; done", with: "; break; done; ")
        let running = RunningProgram(
            "btc-price", ["--history", "--json", "-n2", "BTC-USD", "--primary", first + ShellSource.silent],
            environment: ["XDG_CACHE_HOME": folder.path])
        #expect(running.readLine()?.contains(#""value":"1.00""#) == true && running.lineCount == 1)
        running.signal(SIGTERM)
        #expect(running.result().status == 143)
    }

    @Test(
        .enabled(if: isLinux, "needs /dev/full"),
        arguments: [
            (">/dev/full", "price-cache", "No space left on device"),
            (">&-", "btc-price", "Bad file descriptor"),
        ])
    func `with --json, a line that cannot be written causes one message and status 74`(
        output: String, program: String, reason: String
    ) {
        let source = ShellSource.quoting("1.00").shellQuoted
        let result = RunningProgram.shell(
            "btc-price --history --json BTC-USD --primary \(source) \(output)",
            environment: ["XDG_CACHE_HOME": folder.path])
        #expect(result.errors == "\(program): error: cannot write to standard output: \(reason)\n")
        #expect(result.status == 74)
    }

    @Test func `the demo's history shows closing prices in three currencies`() {
        let result = FrontDoor().run(["--history", "--demo", "-n", "3"])
        #expect(result.errors == "btc-price: demo: prices of 2024, no network\n")
        let days = result.lines.dropFirst().dropLast().map { $0.drop { $0 != "€" } }
        #expect(
            days == [
                "€52,539.60   +4.66%  $57,037.00   +4.70%  £44,984.41   +4.82%",
                "€57,764.61   +9.94%  $62,432.00   +9.46%  £49,416.47   +9.85%",
                "€56,508.38   -2.17%  $61,175.98   -2.01%  £48,402.25   -2.05% open",
            ])
        #expect(result.status == 0)
    }
}
