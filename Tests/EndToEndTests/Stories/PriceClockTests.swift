import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-clock` as a program. It prints one tick per interval for each symbol or, with `--candle`, ticks
/// for candles.
@Suite(.endToEnd) struct PriceClockTests {
    private let folder = TemporaryFolder()

    @Test func `the first tick comes immediately, with its number and time`() throws {
        let before = Timestamp.now()
        let clock = RunningProgram("price-clock", ["--interval", "60s"])
        let tick = try Tick(line: try #require(clock.readLine()).utf8)
        let at = try #require(tick.at)
        #expect(tick.number == 0 && tick.symbol == nil && at >= before && at <= .now())
    }

    @Test func `thirty ticks come at regular intervals, without drift`() throws {
        // When
        let clock = RunningProgram("price-clock", ["--interval", "200ms", "-n", "30"])
        var lateness: [Int] = []
        var due: [Int] = []
        while let line = clock.readLine() {
            let at = try #require(try Tick(line: line.utf8).at).milliseconds
            due.append(at)
            lateness.append(Timestamp.now().milliseconds - at)
        }
        // Then each beat comes one interval after the preceding beat, unless the clock missed a beat on a
        // busy machine.
        let steps = zip(due, due.dropFirst()).map { $1 - $0 }
        #expect(due.count == 30 && steps.count { $0 == 200 } >= 26 && steps.allSatisfy { $0 >= 200 })
        // If the clock slept for 200 ms after each tick without allowing for the time that the tick itself
        // takes, each of the last ten ticks would be at least about 30 ms late.
        #expect(try #require(lateness.suffix(10).min()) < 20)
        #expect(clock.finish().status == 0)
    }

    @Test(
        .enabled(if: Programs.has("strace"), "needs strace"),
        arguments: [["-n", "20", "--interval", "10ms"], ["-n", "100", "--candle", "1m"]])
    func `the clock does not start a process for each tick or candle`(words: [String]) throws {
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

    @Test func `numbers in options are read as decimal, even with leading zeros`() throws {
        let all = try RunningProgram.run("price-clock", ["-n", "010", "--interval", "0.008s"]).ticks()
        #expect(all.map(\.number) == Array(0..<10))
        let times = all.compactMap(\.at?.milliseconds)
        #expect(zip(times, times.dropFirst()).contains { $1 - $0 == 8 })
    }

    @Test(
        .enabled(if: FakeClock.isInstalled, "needs libfaketime"),
        arguments: [("2m", 120), ("1h", 3600), ("1d", 86_400)])
    func `an interval can be given in minutes, hours or days`(interval: String, seconds: Int) throws {
        let fake = FakeClock()
        let clock = RunningProgram(
            "price-clock", ["-n", "2", "--interval", interval], environment: fake.environment)
        let first = try Tick(line: try #require(clock.readLine()).utf8).at
        // When the next tick has been due for ten seconds
        fake.set("+\(seconds + 10)")
        // Then the tick contains the time at which it was due
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
    func `candles begin at round times in UTC, and the last candle is still open`(
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
}
