import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-fallback` as a program, with shell sources that behave like real sources on their worst days.
@Suite(.endToEnd) struct FallbackProgramTests {
    private let marked = MarkedProcesses()
    private let good = ShellSource.quoting("68890.00", as: "fallback")

    private func run(_ words: String..., input: String = #"{"tick":1}"#) -> RunningProgram.Result {
        RunningProgram.run("price-fallback", words, input: input, environment: marked.environment)
    }

    @Test func `a source gets each tick with its number, its symbol and its time limit`() throws {
        let folder = TemporaryFolder()
        let log = "\(folder.path)/ticks"
        let primary = "while read -r tick; do echo \"$tick\" > \(log); break; done; sleep 9"
        _ = run(
            "--timeout", "300ms", "--budget", "400ms", primary,
            input: #"{"tick":5,"at":"2026-11-21T14:03:07.000Z","symbol":"BTC-EUR"}"#)
        let tick = try Tick(line: try #require(folder.contents("ticks")).dropLast().utf8)
        #expect(tick.number == 5 && tick.symbol == Symbol("BTC-EUR") && tick.timeout == .milliseconds(300))
    }

    @Test func `a source gets the ticks of a beat in one piece`() {
        let folder = TemporaryFolder()
        // One read of everything in the pipe
        let primary = "touch \(folder.path)/ready; dd bs=64K count=1 of=\(folder.path)/ticks; sleep 9"
        let running = RunningProgram("price-fallback", [primary], environment: marked.environment)
        #expect(running.waitUntil(within: .seconds(10)) { folder.contents("ready") != nil })
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
    func `a primary that is dead, dies or breaks the protocol does not delay the line`(primary: String) throws
    {
        let start = ContinuousClock.now
        let reading = try #require(
            try run("--timeout", "9s", "--budget", "10s", primary, good).readings().first)
        #expect(reading.quote?.price.text == "68890.00" && reading.failures.map(\.kind) == [.exited])
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test(.fault(34)) func `an answer without a final newline counts, although its source ended`() throws {
        let primary =
            #"read -r tick; printf '%s,"failures":[{"source":"x","kind":"denied","message":"m"}]}' "${tick%?}""#
        let reading = try #require(try run("--timeout", "9s", "--budget", "10s", primary).readings().first)
        #expect(reading.failures == [Failure(source: "x", kind: .denied, message: "m")])
    }

    @Test func `many candles of sources that never answer fail together, within one budget`() throws {
        let input = (0..<999).map {
            "{\"tick\":\($0),\"at\":\"2024-03-01T00:00:00.000Z\",\"candle\":\"1d\"}\n"
        }
        let start = ContinuousClock.now
        let result = run(
            "--timeout", "200ms", "--budget", "400ms", ShellSource.silent, ShellSource.silent,
            input: input.joined())
        let readings = try result.readings()
        #expect(readings.map(\.tick) == Array(0..<999) && result.status == 0)
        #expect(readings.allSatisfy { $0.quote == nil && $0.failures.map(\.kind) == [.timeout, .timeout] })
        #expect(ContinuousClock.now - start < .seconds(3))
    }

    @Test func `with a silent primary and a slow fallback there is one reading by the end of the budget`()
        throws
    {
        let start = ContinuousClock.now
        let reading = try #require(try run(ShellSource.silent, "sleep 9").readings().first)
        let elapsed = ContinuousClock.now - start
        #expect(reading.failures.map(\.kind) == [.timeout, .timeout])
        #expect(elapsed >= .seconds(1) && elapsed < .seconds(2))
    }

    @Test(.fault(34)) func `repeated and unknown answers are discarded`() throws {
        // Given
        let primary = """
            while read -r tick; do
                line="${tick%?},\\"source\\":\\"odd\\",\\"quote\\":{\\"value\\":\\"1.00\\",\\"currency\\":\\"USD\\",\
            \\"timestamp\\":\\"2026-11-21T14:03:07.412Z\\"}}"
                echo '{"tick":99,"source":"odd","quote":{"value":"9.99","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}'
                echo "$line"; echo "$line"
            done
            """
        // When
        let result = run(primary, input: #"{"tick":1}"# + "\n" + #"{"tick":2}"#)
        // Then
        #expect(
            try result.readings().map { [$0.tick.map(String.init), $0.quote?.price.text] } == [
                ["1", "1.00"], ["2", "1.00"],
            ])
        #expect(result.errors == "")
    }

    @Test func `a shell loop, jq or any command that echoes the tick is a source`() throws {
        let result = RunningProgram.shell(
            """
            price-clock -n 2 --interval 50ms | price-fallback \(ShellSource.quoting("12.5").shellQuoted) |
                price-cache --file /dev/null/quote 2>/dev/null | price-format
            """)
        #expect(result.lines == ["Nov 21, 14:03 - $12.50", "Nov 21, 14:03 - $12.50"])
    }

    @Test func `the failures of all sources are listed in the order in which they were tried`() throws {
        let reading = try #require(
            try run(ShellSource.failing, "exit 1", ShellSource.failing).readings().first)
        #expect(reading.quote == nil && reading.failures.map(\.kind) == [.network, .exited, .network])
    }

    @Test(.fault(1), .enabled(if: isLinux, "needs /proc"))
    func `a killed source is reported once and answers the next tick`() throws {
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
    func `no source is left running, even if it ignores the end of its input`() {
        let result = run("while :; do sleep 60; done", "trap '' TERM HUP INT; sleep 60", "--budget=200ms")
        #expect(result.status == 0)
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.fault(2), .enabled(if: isLinux, "needs /proc"))
    func `when price-fallback is killed, its sources see the end of their input`() throws {
        let server = StubServer(.ok(#"{"symbol":"BTCUSDT","price":"68901.23"}"#))
        let fetch = "price-fetch --url \(server.url()) binance"
        let running = RunningProgram("price-fallback", [fetch, fetch, good], environment: marked.environment)
        running.write("{}\n")
        #expect(running.readLine() != nil)
        running.signal(SIGKILL)
        #expect(running.result().status == 137)
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.enabled(if: isLinux && Programs.has("ps"), "needs /proc and ps"))
    func `sources stay in the caller's process group, and ignore the signals it ignores except SIGPIPE`()
        throws
    {
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
        // None is blocked; SIGHUP and SIGTERM are ignored. The C library keeps the signals from 32 on to itself.
        #expect(reported.dropFirst().prefix(2).map { $0.suffix(7) } == ["0000000", "0004001"])
    }

    @Test(.enabled(if: isLinux, "needs /proc"), arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal ends price-fallback with its usual status, and its sources even if they ignore it`(
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

    @Test(.fault(34))
    func
        `a source that writes rubbish is reported once, and a source that does not read does not delay the ticks`()
        throws
    {
        // Given a source that writes rubbish, and one that does not read
        let sources = ["echo started >&2; exec yes {", "sleep 60", good]
        let running = RunningProgram(
            "price-fallback", ["--hedge=0", "--budget=300ms"] + sources, environment: marked.environment)
        let ticks = (0..<400).map { #"{"tick":\#($0),"symbol":"A-LONG-NAME-FOR-A-SYMBOL-USD"}"# + "\n" }
        let start = ContinuousClock.now
        // When
        for part in stride(from: 0, to: ticks.count, by: 100) {
            running.write(ticks[part..<part + 100].joined())
            for _ in 0..<100 { #expect(running.readLine() != nil) }
        }
        // Then each hundred takes a budget at most, and each start of the first source is reported in two lines
        #expect(ContinuousClock.now - start < .seconds(4))
        let lines = running.errors.split(separator: "\n")
        let starts = lines.count { $0 == "started" }
        let reports = lines.count { $0.contains("source 1: ") }
        #expect(starts > 0 && (1...2 * starts).contains(reports), "\(running.errors.prefix(2000))")
    }

    @Test(.fault(34)) func `a source that logs a line before each answer is reported once`() throws {
        let logging = ShellSource.quoting("1.00").replacing("do printf", with: "do echo asked; printf")
        let running = RunningProgram("price-fallback", [logging, good])
        for tick in 0..<5 { #expect(try running.answer(to: tick).source == "fallback") }
        let expected = "invalid output: not a JSON object (expected a value at byte 1)"
        #expect(running.finish().errors == "price-fallback: warning: source 1: \(expected)\n")
    }

    @Test func `the report on a source that ends by itself says that it should go on reading ticks`() {
        let running = RunningProgram("price-fallback", ["true"])
        let expected = "source 1: exited with status 0: a source must go on reading ticks"
        #expect(running.errors(containing: expected))
    }

    @Test(.fault(33)) func `a command is never printed, because it may contain a secret`() throws {
        // Given a source that cannot answer, and one that fails
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

    @Test(.fault(34)) func `a source that fills its line with failures does not displace a quote`() throws {
        // Given a primary whose line is just short enough
        let failure = #"{"source":"x","kind":"network","message":"refused"}"#
        let failures = Array(repeating: failure, count: 1200).joined(separator: ",")
        let rogue =
            "read -r tick; printf '%s,\"failures\":[%s]}\\n' \"${tick%?}\" '\(failures)'; cat >/dev/null"
        // When
        let result = run(rogue, good)
        // Then
        let reading = try #require(try result.readings().first)
        #expect(reading.quote?.price.text == "68890.00" && reading.failures.count == 8)
    }

    @Test func `a tick is sent to its source while another tick waits for its answer`() throws {
        // Given a source that reads two ticks before it answers them
        let one = #"printf '%s,"failures":[{"source":"x","kind":"network","message":"m"}]}\n'"#
        let source = #"read -r a; read -r b; \#(one) "${a%?}"; \#(one) "${b%?}"; cat >/dev/null"#
        let running = RunningProgram("price-fallback", ["--timeout", "20s", "--budget", "20s", source])
        // When
        running.write("{\"tick\":1}\n{\"tick\":2}\n")
        // Then
        #expect(try running.nextReading().tick == 1)
        #expect(try running.nextReading().failures.map(\.kind) == [.network])
    }

    @Test func `at the end of the ticks a source is given time to finish its work`() throws {
        let folder = TemporaryFolder()
        let source = "while read -r tick; do :; done; sleep 0.02; echo finished > \(folder.path)/log"
        let result = RunningProgram.run("price-fallback", ["--budget", "50ms", source], input: "{}\n")
        #expect(result.status == 0)
        #expect(folder.contents("log") == "finished\n")
    }

    @Test func `a signal that the caller ignores does not end price-fallback`() throws {
        // Given
        let command = "trap '' HUP; exec price-fallback \(good.shellQuoted)"
        let running = RunningProgram("bash", ["-c", command])
        #expect(try running.answer(to: 1).source == "fallback")
        // When
        running.signal(SIGHUP)
        // Then
        running.wait(.milliseconds(200))
        #expect(try running.answer(to: 2).source == "fallback")
        #expect(running.finish().status == 0)
    }

    @Test func `ten thousand ticks in a burst are answered in order`() throws {
        let input = (0..<10_000).map { "{\"tick\":\($0)}" }.joined(separator: "\n")
        let result = run("--timeout", "50s", "--budget", "60s", ShellSource.quoting("1.00"), input: input)
        #expect(try result.readings().compactMap(\.tick) == Array(0..<10_000))
    }

    @Test(.fault(56))
    func `a source that two others contradict is outvoted, and two that disagree are marked as disputed`()
        throws
    {
        // Given sources that are all asked at every tick
        let sources = [("27550.00", "binance"), ("68901.23", "coinbase"), ("68899.10", "kraken")].map {
            ShellSource.quoting($0, as: $1)
        }
        func start(_ words: [String]) -> RunningProgram {
            RunningProgram("price-fallback", ["--hedge", "0"] + words, environment: marked.environment)
        }
        // When there are three
        let three = start(sources)
        #expect(try three.isAnswered(by: "coinbase", after: 0))
        let outvoted = try three.answer(to: 40)
        #expect(outvoted.source == "coinbase" && !outvoted.isDisputed)
        #expect(outvoted.failures.map(\.kind) == [.disputed])
        // When there are two
        let two = start(Array(sources[..<2]))
        var reading = try two.answer()
        for tick in 1...30 where !reading.isDisputed { reading = try two.answer(to: tick) }
        #expect(
            reading.source == "binance" && reading.prices.map(\.price.text) == ["27550.00", "68901.23"])
        // When they are not compared
        let off = start(["--agree", "off"] + sources)
        for tick in 0..<5 { #expect(try off.answer(to: tick).failures == []) }
    }
}
