import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-fallback` as a program. Its sources are shell commands, many of which misbehave in realistic ways.
@Suite(.endToEnd) struct FallbackProgramTests {
    private let marked = MarkedProcesses()
    private let good = ShellSource.quoting("68890.00", as: "fallback")

    private func run(_ words: String..., input: String = #"{"tick":1}"#) -> RunningProgram.Result {
        RunningProgram.run("price-fallback", words, input: input, environment: marked.environment)
    }

    @Test func `a source gets the number, the symbol and the time limit of each tick`() throws {
        let folder = TemporaryFolder()
        let log = "\(folder.path)/ticks"
        let primary = "while read -r tick; do echo \"$tick\" > \(log); break; done; sleep 9"
        _ = run(
            "--timeout", "300ms", "--budget", "400ms", primary,
            input: #"{"tick":5,"at":"2026-11-21T14:03:07.000Z","symbol":"BTC-EUR"}"#)
        let tick = try Tick(line: try #require(folder.contents("ticks")).dropLast().utf8)
        #expect(tick.number == 5 && tick.symbol == Symbol("BTC-EUR") && tick.timeout == .milliseconds(300))
    }

    @Test func `a source can get all ticks of a beat with a single read`() {
        let folder = TemporaryFolder()
        // This source reads only once and gets everything that is in the pipe at that moment.
        let primary = "touch \(folder.path)/ready; dd bs=64K count=1 of=\(folder.path)/ticks; sleep 9"
        let running = RunningProgram("price-fallback", [primary], environment: marked.environment)
        #expect(running.waitUntil { folder.contents("ready") != nil })
        running.write((1...25).map { "{\"tick\":1,\"symbol\":\"S\($0)-USD\"}\n" }.joined())
        for _ in 1...25 { _ = running.readLine() }
        #expect(folder.contents("ticks")?.split(separator: "\n").count == 25)
    }

    @Test(
        .fault(34),
        arguments: [
            "exit 3", "kill -9 $$", "no/such/source", "read -r tick; exit 0", "exec >&-; sleep 9",
            "read -r tick; printf '{\"tick\":1,'; exit 0", "while read -r tick; do echo garbage; done",
            "while read -r tick; do echo '{\"source\":\"x\",\"quote\":{\"value\":\"1\"}}'; done",
        ])
    func `a primary that ends or breaks the protocol does not delay the fallback`(primary: String) throws {
        let start = ContinuousClock.now
        let reading = try #require(
            try run("--timeout", "9s", "--budget", "10s", primary, good).readings().first)
        #expect(reading.quote?.price.text == "68890.00" && reading.failures.map(\.kind) == [.exited])
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test(.fault(34)) func `the last answer of a source that ends is accepted even without a final newline`()
        throws
    {
        let primary =
            #"read -r tick; printf '%s,"failures":[{"source":"x","kind":"denied","message":"m"}]}' "${tick%?}""#
        let reading = try #require(try run("--timeout", "9s", "--budget", "10s", primary).readings().first)
        #expect(reading.failures == [Failure(source: "x", kind: .denied, message: "m")])
    }

    @Test(.fault(1), .enabled(if: isLinux, "needs /proc"))
    func `a killed source is reported once and restarted, and it answers the next tick`() throws {
        let running = RunningProgram(
            "price-fallback", [ShellSource.quoting("1.00", as: "primary"), good],
            environment: marked.environment)
        // Given a primary that has run for more than a second
        for tick in 0..<3 {
            running.write(#"{"tick":\#(tick)}"# + "\n")
            #expect(running.readLine()?.contains("1.00") == true)
            running.wait(.milliseconds(500))
        }
        // When
        kill(
            try #require(marked.id(of: "sh -c \(ShellSource.quoting("1.00", as: "primary").prefix(20))")),
            SIGKILL)
        // Then
        #expect(running.errors(containing: "ended by signal 9"))
        running.write(#"{"tick":3}"# + "\n")
        #expect(running.readLine()?.contains("1.00") == true)
        let result = running.finish()
        #expect(result.status == 0 && result.errors.split(separator: "\n").count == 1)
    }

    @Test(.fault(28), .enabled(if: isLinux, "needs /proc"))
    func `a source is ended even if it ignores the end of its input and the usual signals`() {
        let result = run("while :; do sleep 60; done", "trap '' TERM HUP INT; sleep 60", "--budget=200ms")
        #expect(result.status == 0)
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.enabled(if: isLinux && Programs.has("ps"), "needs /proc and ps"))
    func `sources inherit the caller's process group and ignored signals but do not ignore SIGPIPE`() throws {
        let report =
            "read -r t; ps -o pgid= -p $$ >&2; exec grep -E 'Sig(Blk|Ign)' /proc/self/status 3>&1 >&2"
        // When
        let result = RunningProgram.shell(
            """
            trap '' HUP PIPE TERM
            echo $(ps -o pgid= -p $$)
            echo '{}' | price-fallback --budget 200ms "\(report.replacing("$", with: "\\$"))"
            """)
        let reported = result.errors.split(separator: "\n").compactMap {
            $0.split(whereSeparator: \.isWhitespace).last
        }
        // Then
        #expect(reported.first.map(String.init) == result.lines.first)
        // No signal is blocked; SIGHUP and SIGTERM are ignored. The last seven digits stand for signals 1 to
        // 28. The digits before them are not compared, because the C library reserves some of the signals
        // from 32 on.
        #expect(reported.dropFirst().prefix(2).map { $0.suffix(7) } == ["0000000", "0004001"])
    }

    @Test(.enabled(if: isLinux, "needs /proc"), arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends price-fallback with the usual status and also ends sources that ignore the signal`(
        signal: Int32
    ) {
        let sources = ["while :; do sleep 60; done", "trap '' TERM HUP INT; sleep 60"]
        let running = RunningProgram(
            "price-fallback", ["--budget=200ms"] + sources, environment: marked.environment)
        running.write("{}\n")
        #expect(running.readLine() != nil)
        running.signal(signal)
        #expect(running.result().status == 128 + signal)
        #expect(running.errors.split(separator: "\n").allSatisfy { $0.contains(": no answer within ") })
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.fault(34)) func `a source that prints a log line before each answer is reported once`() throws {
        let logging = ShellSource.quoting("1.00").replacing("do printf", with: "do echo asked; printf")
        let running = RunningProgram("price-fallback", [logging, good])
        for tick in 0..<5 { #expect(try running.answer(to: tick).source == "fallback") }
        let expected = "invalid output: not a JSON object (expected a value at byte 1)"
        #expect(running.finish().errors == "price-fallback: warning: source 1: \(expected)\n")
    }

    @Test func `if a source exits with status 0, the warning states that sources must keep reading ticks`() {
        let running = RunningProgram("price-fallback", ["true"])
        let expected = "source 1: exited with status 0: a source must keep reading ticks"
        #expect(running.errors(containing: expected))
    }

    @Test(.fault(33)) func `price-fallback never prints source commands, which may contain secrets`() throws {
        // Given two sources whose commands contain a secret and exit with an error
        let secret = "price-fetch --url 'http://127.0.0.1:1/?apikey=SECRET'; exit 3"
        let running = RunningProgram("price-fallback", [secret, "price-fetch binance --wrong SECRET"])
        #expect(running.errors(containing: "warning: source 1: exited with status 3"))
        #expect(running.errors(containing: "warning: binance: exited with status 64"))
        // When
        let reading = try running.answer()
        // Then
        #expect(reading.failures.map(\.source) == ["source 1", "binance"])
        let result = running.finish()
        #expect(!result.output.contains("SECRET") && !result.errors.contains("SECRET"))
    }
}
