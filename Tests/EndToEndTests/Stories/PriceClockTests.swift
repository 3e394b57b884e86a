import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// One tick per interval, from `price-clock`.
@Suite(.endToEnd) struct PriceClockTests {
    private let folder = TemporaryFolder()

    @Test func `the first tick comes immediately, with its number and time`() throws {
        let before = Timestamp.now()
        let clock = RunningProgram("price-clock", ["--interval", "60s"])
        let tick = try Tick(line: try #require(clock.readLine(within: .seconds(10))).utf8)
        let at = try #require(tick.at)
        #expect(tick.number == 0 && tick.symbol == nil && at >= before && at <= .now())
    }

    @Test func `thirty ticks keep the rhythm without drift`() throws {
        // When
        let clock = RunningProgram("price-clock", ["--interval", "200ms", "-n", "30"])
        var lateness: [Int] = []
        var due: [Int] = []
        while let line = clock.readLine() {
            let at = try #require(try Tick(line: line.utf8).at).milliseconds
            due.append(at)
            lateness.append(Timestamp.now().milliseconds - at)
        }
        // Then Each beat is an interval after the last beat, unless the machine missed a beat.
        let steps = zip(due, due.dropFirst()).map { $1 - $0 }
        #expect(due.count == 30 && steps.count { $0 == 200 } >= 26 && steps.allSatisfy { $0 >= 200 })
        // A clock that sleeps 200 ms after each tick's work would be some 30 ms late by now, at its best.
        #expect(try #require(lateness.suffix(10).min()) < 20)
        #expect(clock.finish().status == 0)
    }

    @Test(
        .enabled(if: Programs.has("strace"), "needs strace"),
        arguments: [["-n", "20", "--interval", "10ms"], ["-n", "100", "--candle", "1m"]])
    func `no process is started for a tick, or for a candle`(words: [String]) throws {
        let log = "\(folder.path)/forks"
        let clock = Programs.folder.appending(path: "price-clock").path
        let calls = "--trace=clone,clone3,fork,vfork"
        let result = RunningProgram.run("strace", ["-f", calls, "-o", log, clock] + words)
        #expect(result.lines.count == Int(words[1]))
        let started = try #require(folder.contents("forks")).components(separatedBy: "\n").filter {
            $0.contains("clone") || $0.contains("fork")
        }
        #expect(started.count <= 2)
    }

    @Test func `the ticks of all symbols come together, in the order of the options`() throws {
        let result = RunningProgram.run(
            "price-clock", ["-n", "2", "--interval=10ms", "--symbol", "BTC-USD", "--symbol=ETH-USD"])
        let all = try result.ticks()
        #expect(all.map(\.number) == [0, 0, 1, 1])
        #expect(all.map(\.symbol?.text) == ["BTC-USD", "ETH-USD", "BTC-USD", "ETH-USD"])
        #expect(Set(all.prefix(2).map(\.at)).count == 1)
    }

    @Test func `a clock that is continued before its next tick is due ticks immediately`() throws {
        let clock = RunningProgram("price-clock", ["--interval", "60s"])
        #expect(clock.readLine() != nil)
        clock.signal(SIGSTOP)
        clock.signal(SIGCONT)
        #expect(clock.readLine(within: .seconds(10)) != nil)
    }

    @Test func `a symbol that is given twice gets one tick per beat`() throws {
        let symbols = ["BTC-USD", "ETH-USD", "BTC-USD", "TC-USD"].flatMap { ["--symbol", $0] }
        let all = try RunningProgram.run("price-clock", ["-n1"] + symbols).ticks()
        #expect(all.map(\.symbol?.text) == ["BTC-USD", "ETH-USD", "TC-USD"])
    }

    @Test func `numbers are decimal, even with leading zeros`() throws {
        let all = try RunningProgram.run("price-clock", ["-n", "010", "--interval", "0.008s"]).ticks()
        #expect(all.map(\.number) == Array(0..<10))
        let times = all.compactMap(\.at?.milliseconds)
        #expect(zip(times, times.dropFirst()).contains { $1 - $0 == 8 })
    }

    @Test func `after the last tick the clock does not wait for another beat`() {
        let clock = RunningProgram("price-clock", ["-n", "1", "--interval", "1h"])
        let result = clock.result(within: .seconds(10))
        #expect(result.status == 0 && result.lines.count == 1)
    }

    @Test(
        .enabled(if: FakeClock.isInstalled, "needs libfaketime"),
        arguments: [("2m", 120), ("1h", 3600), ("1d", 86_400)])
    func `an interval may be in minutes, hours or days`(interval: String, seconds: Int) throws {
        let fake = FakeClock()
        let clock = RunningProgram(
            "price-clock", ["-n", "2", "--interval", interval], environment: fake.environment)
        let first = try Tick(line: try #require(clock.readLine()).utf8).at
        // When the next tick has been due for ten seconds
        fake.set("+\(seconds + 10)")
        // Then it has the time at which it was due
        let second = try Tick(line: try #require(clock.readLine()).utf8).at
        #expect(try #require(second).milliseconds - #require(first).milliseconds == seconds * 1000)
    }

    @Test(
        .enabled(if: FakeClock.isInstalled, "needs libfaketime"),
        arguments: [
            ("1d", "2026-11-21 23:59:59", ["2026-11-20T00:00:00.000Z", "2026-11-21T00:00:00.000Z"]),
            ("1d", "2026-11-22 00:00:00", ["2026-11-21T00:00:00.000Z", "2026-11-22T00:00:00.000Z"]),
            ("1d", "2024-03-01 00:00:01", ["2024-02-29T00:00:00.000Z", "2024-03-01T00:00:00.000Z"]),
            ("1h", "2026-11-22 00:59:59", ["2026-11-21T23:00:00.000Z", "2026-11-22T00:00:00.000Z"]),
            ("15m", "2026-11-22 00:14:59", ["2026-11-21T23:45:00.000Z", "2026-11-22T00:00:00.000Z"]),
            ("5m", "2027-01-01 00:05:00", ["2027-01-01T00:00:00.000Z", "2027-01-01T00:05:00.000Z"]),
            ("1m", "2027-01-01 00:00:59", ["2026-12-31T23:59:00.000Z", "2027-01-01T00:00:00.000Z"]),
        ])
    func `each candle begins in UTC, and the last candle is open`(
        candle: String, now: String, begins: [String]
    ) {
        let fake = FakeClock()
        fake.set(now)
        let ticks = RunningProgram.run(
            "price-clock", ["--candle", candle, "-n2", "--symbol=BTC-EUR"], environment: fake.environment)
        let expected = zip(0..., begins).map {
            #"{"tick":\#($0),"at":"\#($1)","symbol":"BTC-EUR","candle":"\#(candle)"}"#
        }
        #expect(ticks.lines == expected && ticks.status == 0 && ticks.errors == "")
    }

    @Test func `in another time zone a day still begins at midnight UTC`() {
        let result = RunningProgram.run("price-clock", ["--candle=1d"], environment: ["TZ": "Asia/Kolkata"])
        #expect(result.lines.count == 1)
        #expect(result.output.hasSuffix(#"T00:00:00.000Z","candle":"1d"}"# + "\n"))
    }

    @Test func `with --candle the clock ends without waiting and prints the symbols of a candle together`() {
        let clock = RunningProgram(
            "price-clock", ["--candle", "1d", "-n", "32", "--symbol", "A", "--symbol", "B"])
        let lines = clock.result(within: .seconds(10)).lines
        #expect(lines.count == 64)
        #expect(lines.suffix(2).allSatisfy { $0.hasPrefix(#"{"tick":31,"#) })
        #expect(lines.prefix(2).map { $0.contains(#""symbol":"A""#) } == [true, false])
    }

    @Test(arguments: [
        (["--wrong=3"], "unknown option --wrong"), (["-x5"], "unknown option -x"),
        (["--interval"], "missing value for --interval"), (["--help=1"], "--help takes no value"),
        (["operand"], "unexpected argument 'operand'"), (["--", "-x"], "unexpected argument '-x'"),
        (["--symbol", "BTC/USD"], "invalid value 'BTC/USD' for --symbol: expected a symbol such as BTC-USD"),
        (["--symbol", "a\u{1B}b"], "invalid value 'a?b' for --symbol: expected a symbol such as BTC-USD"),
        (["--candle", "2h"], "invalid value '2h' for --candle: expected 1m, 5m, 15m, 1h or 1d"),
        (["--candle=1d", "--interval=1s"], "--candle cannot be combined with --interval"),
        (["--symbol", "../x"], "invalid value '../x' for --symbol: expected a symbol such as BTC-USD"),
        (
            ["--requests", "1"],
            "invalid value '1' for --requests: expected the number of a descriptor that is open for reading"
        ),
        (
            ["--requests", "99"],
            "invalid value '99' for --requests: expected the number of a descriptor that is open for reading"
        ),
        (["-n", "-1"], "invalid value '-1' for -n: expected a whole number from 0 to 999999999999999"),
        (
            ["--interval", "0.9ms"],
            "invalid value '0.9ms' for --interval: expected a duration of at least 1ms, such as 800ms or 1s"
        ),
    ])
    func `usage errors of the clock have the form of the programs' errors`(words: [String], message: String) {
        let result = RunningProgram.run("price-clock", words)
        #expect(result.status == 64 && result.output == "")
        #expect(
            result.errors == "price-clock: error: \(message)\nprice-clock: try 'price-clock --help'\n")
    }

    @Test(arguments: [
        ("1s", true), ("1.123456789s", true), ("0.001", true), ("999999999", true), ("999999999d", true),
        ("1.1234567890s", false), ("9999999999", false), ("0.0009", false), ("0d", false), ("1S", false),
        ("1.s", false), (".5s", false), ("1e3", false), ("-1s", false), (" 1s", false), ("１s", false),
        ("", false),
    ])
    func `a duration is accepted by all programs, or by none`(text: String, isAccepted: Bool) {
        let commands = [
            ["price-clock", "-n0", "--interval", text], ["price-cache", "--max-age", text],
            ["price-fallback", "--budget", "999999999d", "--timeout", text, "cat"],
        ]
        for command in commands {
            let result = RunningProgram.run(command[0], Array(command.dropFirst()))
            #expect(result.status == (isAccepted ? 0 : 64), "\(command)")
        }
    }
}
