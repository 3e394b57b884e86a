import Foundation
import TestSupport
import TestTraits
import Testing

/// However the pipeline ends, none of its processes is left running.
@Suite(.endToEnd, .enabled(if: isLinux, "needs /proc")) struct ShutdownFaultTests {
    private let marked = MarkedProcesses()
    private let primary = ["--primary", ShellSource.quoting("68901.23"), "--fallback", ShellSource.silent]
    private let folder = TemporaryFolder()

    private var environment: [String: String] {
        marked.environment.merging(
            ["XDG_CACHE_HOME": folder.path, "TMPDIR": folder.path, "SOURCE": primary[1]]
        ) { $1 }
    }

    private func start(_ command: String, _ words: [String]) -> RunningProgram {
        RunningProgram(command, words, environment: environment)
    }

    /// Starts a pipeline and waits for its first line.
    private func started(_ words: String...) -> RunningProgram {
        let running = start("btc-price", words + primary)
        #expect(running.readLine() != nil)
        return running
    }

    /// The ID of the process that runs the program or script with this name.
    private func process(_ name: String) throws -> Int32 {
        try #require(marked.id { $0.hasPrefix(name) } ?? marked.id(of: "/\(name) "))
    }

    /// Whether the pipe to which a process writes its output is full; false if the process has ended.
    private func isFull(_ process: Int32) -> Bool {
        let pipe = open("/proc/\(process)/fd/1", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        defer { close(pipe) }
        var polled = pollfd(fd: pipe, events: Int16(POLLOUT), revents: 0)
        return pipe >= 0 && poll(&polled, 1, 0) == 0
    }

    /// Waits until a command fills its output pipe, which nobody reads. Returns the command's process ID.
    private func stuck(_ name: String, in running: RunningProgram) throws -> Int32 {
        #expect(
            running.waitUntil {
                marked.id { $0.hasPrefix(name) }.map(isFull) ?? false
            })
        return try process(name)
    }

    @Test(
        .fault(28),
        arguments: ["price-fallback", "price-cache", "price-format"].map { ($0, SIGKILL) }
            + [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGKILL].map { ("btc-price", $0) })
    func `killing a stage or sending a signal to the script ends all processes within a second`(
        name: String, signal: Int32
    ) throws {
        let running = started("--interval", "30s")
        kill(name == "btc-price" ? running.process : try process(name), signal)
        #expect(running.result().status == 128 + signal)
        let report = name == "btc-price" ? "" : "btc-price: error: a stage was ended by signal 9\n"
        #expect(running.errors == report)
        #expect(marked.areGone(within: .seconds(1)))
    }

    /// The shell gives each run its own process group. SIGINT goes to the whole group, as with Ctrl-C, and
    /// SIGTERM only to the script.
    @Test(.fault(28, 57), arguments: [("-INT --", "-", 130), ("-TERM", "", 143)])
    func `a signal in the first moments after the start ends all processes`(
        signal: String, group: String, status: Int
    ) {
        let command = """
            set -m; for run in {0..59}; do
                btc-price --interval 1h --primary cat --fallback cat & sleep 0.0$((run / 30))$((run / 3 % 10))
                kill \(signal) \(group)$!; wait $!; echo "$run: $?" >&3
            done 3>&1 >/dev/null 2>&1
            """
        let result = start("bash", ["-c", command]).result(within: .seconds(20))
        #expect(result.lines == (0..<60).map { "\($0): \(status)" })
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.fault(28))
    func `under nohup, the pipeline continues after SIGHUP`() {
        let words = ["--interval", "300ms"] + primary
        let command = "trap '' HUP; exec btc-price \(words.map(\.shellQuoted).joined(separator: " "))"
        let running = start("bash", ["-c", command])
        #expect(running.readLine() != nil)
        // When
        for process in marked.living where process.value.contains("price-") { kill(process.key, SIGHUP) }
        // Then
        let seen = running.lineCount
        #expect(running.waitUntil { running.lineCount > seen + 2 })
        running.signal(SIGTERM)
        #expect(running.result().status == 143 && running.errors == "")
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(
        .fault(28),
        arguments: [
            ("price-clock --interval 2ms --symbol A-USD --symbol B-USD --symbol C-USD", .milliseconds(900)),
            // Ticks from the past count as a recording. The answers to a recording are never dropped.
            // Therefore, price-fallback stays blocked after the signal until an alarm ends the program a second
            // later.
            (#"yes '{"tick":1,"at":"2024-03-01T00:00:00.000Z"}'"#, Duration.seconds(3)),
        ])
    func `a signal ends price-fallback and its sources even if nobody reads the output`(
        ticks: String, limit: Duration
    ) throws {
        let command = "\(ticks) | price-fallback \"$SOURCE\" | sleep 30; echo ${PIPESTATUS[1]}"
        let running = start("bash", ["-c", command])
        // When
        kill(try stuck("price-fallback", in: running), SIGTERM)
        // Then
        let isGone = running.waitUntil(within: limit) {
            !marked.living.values.contains { $0.hasPrefix("price-fallback") || $0.hasPrefix("sh -c") }
        }
        #expect(isGone)
        kill(try process("sleep 30"), SIGKILL)
        #expect(running.readLine() == "143")
    }

    @Test(
        .fault(28),
        arguments: ["sleep 3113 & cat", "sleep 3113 2>/dev/null & cat", "sleep 3113 >/dev/null & cat"],
        [nil, SIGTERM])
    func `a background process of a source ends when price-fallback ends`(source: String, signal: Int32?) {
        let running = start("price-fallback", [source])
        #expect(running.waitUntil { marked.living.values.contains("sleep 3113 ") })
        end(running, by: signal)
        #expect(marked.areGone(within: .seconds(1)))
    }

    /// A source may pass its descriptors to another process, as `ssh` does. Here, that process is `sleep`.
    @Test(.fault(67), arguments: [nil, SIGTERM])
    func `a process is not killed just because it keeps a source's pipes open`(signal: Int32?) throws {
        let source = "(env -u PRICE_FALLBACK_MARK sleep 3114 &); \(ShellSource.quoting("1.00"))"
        let running = start("price-fallback", [source])
        #expect(try running.answer().quote != nil)
        #expect(running.waitUntil { marked.id { $0.hasPrefix("sleep 3114") } != nil })
        let holder = try process("sleep 3114")
        defer { kill(holder, SIGKILL) }
        end(running, by: signal)
        #expect(marked.living.values.map { $0.hasPrefix("sleep 3114") } == [true])
    }

    /// Ends `price-fallback` with this signal or, if the signal is nil, by closing its input. Expects that
    /// the program ends within a second.
    private func end(_ running: RunningProgram, by signal: Int32?) {
        let start = ContinuousClock.now
        if let signal { running.signal(signal) } else { running.closeInput() }
        #expect(running.result().status == (signal.map { 128 + $0 } ?? 0) && running.errors == "")
        #expect(ContinuousClock.now - start < .seconds(1))
    }

    @Test(.fault(28))
    func `when the terminal is closed, all processes end within a second`() throws {
        var terminal: Terminal? = Terminal(environment: marked.environment)
        terminal?.type("exec btc-price --primary cat --fallback cat 2>&1\r")
        #expect(terminal?.waitFor("No price yet") == true)
        #expect(marked.living.count > 4)
        // When
        terminal = nil
        // Then
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.fault(29), arguments: [("", "30s"), ("trap '' PIPE;", "50ms"), ("", "50ms --screen")])
    func `the pipeline ends quietly when its reader goes away, even if the caller ignores SIGPIPE`(
        preparation: String, interval: String
    ) {
        let command = "btc-price --interval \(interval) --primary \"$SOURCE\" --fallback cat | head -1"
        let result = RunningProgram.shell(
            "\(preparation) \(command); echo ${PIPESTATUS[0]}", environment: environment)
        #expect(result.lines.count == 2 && result.lines.last == "141" && result.errors == "")
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.fault(28))
    func `the script ends quietly when timeout(1) sends SIGINT and then SIGCONT`() {
        let result = RunningProgram.shell(
            """
            set -m; cd \(folder.path)
            for round in {1..20}; do
                btc-price --interval 1h --primary "$SOURCE" >first 2>>errors &
                until [[ -s first ]]; do sleep 0.01; done
                kill -INT $!; kill -INT -- -$!; kill -CONT $!; kill -CONT -- -$!
                wait $!; echo $?; rm first
            done
            """, environment: environment)
        #expect(result.lines == Array(repeating: "130", count: 20))
        #expect(folder.contents("errors") == "")
    }

    @Test(
        .fault(68),
        arguments: [(SIGTERM, "--style=plain"), (SIGKILL, "--style=plain"), (SIGTERM, "--json")])
    func `after a signal, the pipeline ends within a second even if nobody reads its output`(
        signal: Int32, option: String
    ) throws {
        let symbols = (1...9).map { "S\($0)-USD" }.joined(separator: " ")
        let command = """
            btc-price --interval 2ms \(option) --primary "$SOURCE" --fallback "$SOURCE" \(symbols) | sleep 30
            """
        let running = start("bash", ["-c", command])
        _ = try stuck(option == "--json" ? "price-cache" : "price-format", in: running)
        // When
        let script = marked.id { $0.contains("/btc-price --interval") && !$0.hasPrefix("bash -c") }
        kill(try #require(script), signal)
        // Then
        let isGone = running.waitUntil(within: .seconds(1)) {
            marked.living.values.allSatisfy { $0.hasPrefix("bash -c") || $0.hasPrefix("sleep") }
        }
        #expect(isGone, "\(marked.living)")
        kill(try process("sleep 30"), SIGKILL)
    }

    @Test(.fault(68))
    func `the demo removes its folder even if the process that waits for the stages is killed`() throws {
        let running = start("btc-price", ["--demo", "--interval", "1h"])
        #expect(running.readLine() != nil)
        let script = try #require(marked.id(of: "btc-price --demo"))
        let waiting = marked.living.keys.first { marked.parent(of: $0) == script && $0 != script }
        // When
        kill(try #require(waiting), SIGKILL)
        // Then
        #expect(running.result().status == 137 && marked.areGone(within: .seconds(1)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(.fault(57))
    func `killing a random process other than a source ends all processes within a second`() throws {
        var random = SeededRandom(Seed.value)
        for _ in 0..<8 {
            let running = started("--interval", "1h")
            usleep(.random(in: 0...50_000, using: &random))
            // Sources are left out, because a killed source would be restarted. The process that only waits
            // for the stages is included.
            let victims = marked.living.filter {
                !$0.value.hasPrefix("sh ") && !$0.value.hasPrefix("price-fetch")
            }
            let victim = try #require(victims.randomElement(using: &random))
            kill(victim.key, SIGKILL)
            #expect(marked.areGone(within: .seconds(1)), "\(victim.value), seed \(Seed.value)")
            for process in marked.living.keys { kill(process, SIGKILL) }
            _ = running.result()
        }
    }

    @Test(
        .fault(57),
        arguments: ["price-fallback", "price-cache", "price-format"])
    func `after the script is killed, a stopped stage ends when it is continued`(stage: String) throws {
        let running = started("--interval", "1h")
        let stopped = try process(stage)
        kill(stopped, SIGSTOP)
        // When
        running.signal(SIGKILL)
        kill(stopped, SIGCONT)
        // Then
        #expect(marked.areGone(within: .seconds(1)))
    }
}
