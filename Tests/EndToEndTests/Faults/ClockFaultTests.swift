import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// A clock that is stopped, loses its reader or runs in an odd environment.
@Suite(.endToEnd) struct ClockFaultTests {
    @Test(.fault(27))
    func `after SIGCONT, a stopped clock ticks immediately and then every second, without catching up`()
        throws
    {
        let clock = RunningProgram("price-clock", ["--interval", "1s"])
        #expect(clock.readLine() != nil && clock.readLine() != nil)
        // When the clock is stopped between two ticks
        clock.wait(.milliseconds(300))
        clock.signal(SIGSTOP)
        clock.wait(.milliseconds(1500))
        clock.signal(SIGCONT)
        let continued = Timestamp.now()
        let all = try (0..<3).map { _ in try Tick(line: try #require(clock.readLine()).utf8) }
        // Then a tick comes immediately, and later ticks come a second apart
        let times = all.compactMap(\.at?.milliseconds)
        #expect(all.map(\.number) == [2, 3, 4])
        let first = try #require(times.first)
        #expect(abs(first - continued.milliseconds) < 500)
        #expect(times == [first, first + 1000, first + 2000])
    }

    @Test(.fault(27), .enabled(if: isLinux, "needs /proc"))
    func `a clock that is stopped and continued during a write loses at most one beat`() {
        let symbols = (0..<40).flatMap { ["--symbol", "A-SYMBOL-WITH-A-LONG-NAME-\($0)"] }
        let clock = RunningProgram("price-clock", ["-n", "100", "--interval", "1ms"] + symbols)
        // The test does not read any output yet, so the pipe fills up and the clock blocks in a write.
        let isWriting = { processFile("wchan", of: clock.process).contains("pipe_write") }
        for _ in 0..<2000 where !isWriting() { usleep(10_000) }
        // When the clock is stopped and continued during a write
        clock.signal(SIGSTOP)
        usleep(100_000)
        clock.signal(SIGCONT)
        usleep(300_000)
        // Then at most one beat is missing, and the last line belongs to the last beat
        let result = clock.finish()
        #expect(result.status == 0 && result.errors == "" && result.lines.count >= 99 * 40)
        #expect(result.lines.last?.hasPrefix(#"{"tick":99,"#) == true)
    }

    @Test(.fault(29), .enabled(if: isLinux, "needs /dev/full"))
    func `the clock ends quietly when its reader goes away but reports other write errors`() {
        for signals in ["", "trap '' PIPE;"] {
            let result = RunningProgram.shell(
                "\(signals) price-clock --interval 10ms | head -1; echo ${PIPESTATUS[0]}")
            #expect(result.lines.last == "141" && result.errors == "")
        }
        let full = RunningProgram.shell("price-clock > /dev/full")
        #expect(full.status == 74)
        let reason = "No space left on device"
        #expect(full.errors == "price-clock: error: cannot write to standard output: \(reason)\n")
    }

    @Test(.fault(31), .enabled(if: Programs.has("perl"), "needs perl"))
    func `if a non-blocking output pipe is full, the clock waits and does not lose any tick`() throws {
        let nonBlocking = "perl -MFcntl -e 'fcntl(STDOUT, F_SETFL, O_NONBLOCK); exec @ARGV'"
        let result = RunningProgram.shell(
            "\(nonBlocking) price-clock --interval 1ms -n 2500 | { sleep 3; cat; }")
        #expect(result.errors == "" && result.status == 0)
        let lines = result.lines.filter { !$0.isEmpty }
        #expect(try lines.map { try Tick(line: $0.utf8).number } == Array(0..<2500))
    }

    @Test(.fault(32)) func `with too few file descriptors, a script ends with an error line and status 74`() {
        for script in ["price-clock", "btc-price"] {
            let result = RunningProgram.shell("ulimit -n 12; \(script) -n 1")
            let reason = "cannot start: the limit on open files is too low; raise it: ulimit -n 256"
            #expect(result.errors == "\(script): error: \(reason)\n")
            #expect(result.status == 74 && result.output == "")
        }
    }

    @Test(.fault(36), arguments: [""] + ForeignLocale.names)
    func `the clock prints UTC times whatever the PATH, locale and time zone are`(locale: String) throws {
        if locale != "", !ForeignLocale.areInstalled { try skip("needs the locales de_DE and tr_TR") }
        let result = RunningProgram.run(
            "/bin/bash",
            [Programs.folder.appending(path: "price-clock").path, "-n", "2", "--interval", "0.01"],
            environment: ["PATH": "/dev/null", "LC_ALL": locale, "TZ": "Asia/Tokyo"])
        let now = Timestamp.now()
        #expect(try result.ticks().allSatisfy { $0.at! <= now && now < $0.at! + .seconds(60) })
        #expect(result.lines.count == 2)
    }
}
