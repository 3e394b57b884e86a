import Foundation
import PipeCommon
import TestSupport
import Testing

/// The clock, and the script that composes all: what the user starts.
@Suite struct CLIRunnerTests {
    private let marked = MarkedProcesses()
    private let primary = ["--primary", ShellSource.quoting("68901.23")]
    private let shown = "Nov 21, 14:03 - $68,901.23"
    private let folder = TemporaryFolder()

    private var environment: [String: String] {
        marked.environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 }
    }

    private func ticks(_ output: [String]) throws -> [Tick] {
        try output.map { try Tick(line: $0.utf8) }
    }

    // MARK: price-clock

    @Test func `the first tick comes at once, and carries its number and its time`() throws {
        let before = Timestamp.now()
        let clock = RunningProgram("price-clock", ["--interval", "60s"])
        let tick = try Tick(line: try #require(clock.readLine(within: .seconds(10))).utf8)
        let at = try #require(tick.at)
        #expect(tick.number == 0 && tick.symbol == nil && at >= before && at <= .now())
    }

    @Test func `thirty ticks keep the rhythm without drift`() throws {
        let clock = RunningProgram("price-clock", ["--interval", "200ms", "-n", "30"])
        var lateness: [Int] = []
        var due: [Int] = []
        while let line = clock.readLine() {
            let at = try #require(try Tick(line: line.utf8).at).milliseconds
            due.append(at)
            lateness.append(Timestamp.now().milliseconds - at)
        }
        #expect(due == (0..<30).map { due[0] + $0 * 200 })
        // A clock that sleeps 200 ms after each tick's work would be some 30 ms late by now, at its best.
        #expect(lateness.suffix(10).min()! < 20)
        #expect(clock.finish().status == 0)
    }

    @Test(.enabled(if: Programs.has("strace"), "needs strace"))
    func `no process is started for a tick`() throws {
        let log = "\(folder.path)/forks"
        let calls = "--trace=clone,clone3,fork,vfork,execve"
        _ = RunningProgram.run(
            "strace",
            [
                "-f", calls, "-o", log, Programs.folder.appending(path: "price-clock").path, "-n", "20",
                "--interval", "10ms",
            ])
        let started = try #require(folder.contents("forks")).components(separatedBy: "\n").filter {
            $0.contains("clone") || $0.contains("fork")
        }
        #expect(started.count <= 2)
    }

    @Test func `symbols are ticked together, in their order`() throws {
        let result = RunningProgram.run(
            "price-clock", ["-n", "2", "--interval=10ms", "--symbol", "BTC-USD", "--symbol=ETH-USD"])
        let all = try ticks(result.lines)
        #expect(all.map(\.number) == [0, 0, 1, 1])
        #expect(all.map(\.symbol?.text) == ["BTC-USD", "ETH-USD", "BTC-USD", "ETH-USD"])
        #expect(all[0].at == all[1].at)
    }

    @Test func `27: stopped and continued: one tick at once, then the rhythm, no catching up`() throws {
        let clock = RunningProgram("price-clock", ["--interval", "1s"])
        #expect(clock.readLine() != nil && clock.readLine() != nil)
        // When stopped in the middle of its wait
        clock.waitUntil(within: .milliseconds(300)) { false }
        clock.signal(SIGSTOP)
        clock.waitUntil(within: .milliseconds(2500)) { false }
        clock.signal(SIGCONT)
        let continued = Timestamp.now()
        let all = try ticks((0..<3).compactMap { _ in clock.readLine() })
        // Then
        let times = all.compactMap(\.at?.milliseconds)
        #expect(all.map(\.number) == [2, 3, 4])
        #expect(abs(times[0] - continued.milliseconds) < 500)
        #expect(times == [times[0], times[0] + 1000, times[0] + 2000])
    }

    @Test func `continued before its next tick is due, it ticks at once too`() throws {
        let clock = RunningProgram("price-clock", ["--interval", "60s"])
        #expect(clock.readLine() != nil)
        clock.signal(SIGSTOP)
        clock.signal(SIGCONT)
        #expect(clock.readLine(within: .seconds(10)) != nil)
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `27: stopped and continued while its reader does not read, it goes on`() {
        let symbols = (0..<40).flatMap { ["--symbol", "A-SYMBOL-WITH-A-LONG-NAME-\($0)"] }
        let clock = RunningProgram("price-clock", ["-n", "100", "--interval", "1ms"] + symbols)
        let deadline = Deadline(in: .seconds(20))
        while !isWriting(clock.process), !deadline.hasPassed() { usleep(10_000) }
        // When
        clock.signal(SIGSTOP)
        usleep(100_000)
        clock.signal(SIGCONT)
        usleep(300_000)
        // Then
        let result = clock.finish()
        #expect(result.status == 0 && result.errors == "" && result.lines.count >= 99 * 40)
        #expect(result.lines.last?.hasPrefix(#"{"tick":99,"#) == true)
    }

    /// Whether it waits for the reader of a full pipe.
    private func isWriting(_ process: Int32) -> Bool {
        let place = FileManager.default.contents(atPath: "/proc/\(process)/wchan") ?? Data()
        return String(decoding: place, as: UTF8.self).contains("pipe_write")
    }

    @Test func `36: the clock needs no PATH`() throws {
        try expectTicks(locale: "")
    }

    @Test(
        .enabled(if: ForeignLocale.areInstalled, "needs the locales de_DE and tr_TR"),
        arguments: ForeignLocale.names)
    func `36: the clock speaks the same in every locale`(locale: String) throws {
        try expectTicks(locale: locale)
    }

    /// Two ticks, in UTC, where there is no PATH, and the local time is another.
    private func expectTicks(locale: String) throws {
        let result = RunningProgram.run(
            "/bin/bash",
            [Programs.folder.appending(path: "price-clock").path, "-n", "2", "--interval", "0.01"],
            environment: ["PATH": "/dev/null", "LC_ALL": locale, "TZ": "Asia/Tokyo"])
        let now = Timestamp.now()
        #expect(try ticks(result.lines).allSatisfy { $0.at! <= now && now < $0.at! + .seconds(60) })
        #expect(result.lines.count == 2)
    }

    @Test(.enabled(if: Programs.canMount && hasZones, "needs unshare, the right to mount, and tzdata"))
    func `36: ticks are in UTC on a machine that is not, and says so in no variable`() throws {
        let command = """
            mount --bind \(Self.zone) /etc/localtime && unset TZ && date +%z && price-clock -n 1
            """
        let lines = RunningProgram.run("unshare", ["-rm", "sh", "-c", command]).lines
        #expect(lines.first == "+0900")
        let now = Timestamp.now()
        #expect(try ticks(lines.suffix(1)).allSatisfy { $0.at! <= now && now < $0.at! + .seconds(60) })
    }

    private static let zone = "/usr/share/zoneinfo/Asia/Tokyo"
    private static let hasZones = FileManager.default.fileExists(atPath: zone)

    @Test(arguments: [
        ["--interval", "0"], ["--interval", "x"], ["--interval"], ["-n", "-1"], ["-n"], ["--symbol", "../x"],
        ["operand"],
        ["--wrong"], ["--symbol", "a\u{1B}b"],
    ])
    func `wrong usage of the clock is one line and a hint, and status 64`(words: [String]) {
        let result = RunningProgram.run("price-clock", words)
        let errors = result.errors.split(separator: "\n")
        #expect(
            result.status == 64 && result.output == "" && errors.count == 2
                && !result.errors.contains("\u{1B}"))
        #expect(
            errors.first?.hasPrefix("price-clock: error: ") == true
                && errors.last == "price-clock: try 'price-clock --help'")
    }

    @Test(.enabled(if: isLinux, "needs /dev/full"))
    func `29: the clock ends quietly without a reader, and aloud when it can't write`() {
        let quiet = RunningProgram.shell("price-clock --interval 10ms | head -1; echo ${PIPESTATUS[0]}")
        #expect(quiet.lines.last == "141" && quiet.errors == "")
        let ignoring = RunningProgram.shell(
            "trap '' PIPE; price-clock --interval 10ms | head -1; echo ${PIPESTATUS[0]}")
        #expect(ignoring.lines.last == "141" && ignoring.errors == "")
        let full = RunningProgram.shell("price-clock > /dev/full")
        #expect(full.status == 74)
        #expect(full.errors == "price-clock: error: cannot write standard output: No space left on device\n")
    }

    @Test(arguments: ["price-clock", "btc-price"])
    func `help and version of the scripts`(script: String) {
        if isLinux {
            for word in ["--help", "--version"] {
                #expect(RunningProgram.shell("\(script) \(word) > /dev/full").status == 74)
            }
        }
        let help = RunningProgram.run(script, ["--help"])
        #expect(help.status == 0 && help.errors == "" && help.lines.first?.hasPrefix("\(script): ") == true)
        #expect(RunningProgram.run(script, ["--version"]).output == "\(script) \(version)\n")
    }

    @Test(arguments: ["price-clock", "btc-price"])
    func `every option in a script's help is one that it takes, and no other`(script: String) {
        let help = RunningProgram.run(script, ["--help"]).lines
        let options = help.compactMap { $0.wholeMatch(of: #/  (?:-h, )?(--?[a-z]+)( [A-Z]+)?  .*/#)?.output }
        #expect(options.count == help.filter { $0.hasPrefix("  -") }.count && options.count >= 5)
        for (_, option, value) in options where value != nil {
            let result = RunningProgram.run(script, [String(option)])
            #expect(
                result.status == 64 && result.errors.hasPrefix("\(script): error: \(option) needs a value\n"))
        }
    }

    // MARK: btc-price

    @Test func `a line per second for ten seconds`() throws {
        let running = RunningProgram("btc-price", ["-n", "10"] + primary, environment: environment)
        var arrivals: [ContinuousClock.Instant] = []
        while let line = running.readLine() {
            arrivals.append(.now)
            #expect(line == shown)
        }
        let result = running.finish()
        #expect(result.status == 0 && result.errors == "" && result.lines.count == 10)
        let last = arrivals[9] - arrivals[0]
        #expect(last > .milliseconds(8500) && last < .milliseconds(10500))
    }

    @Test func `a fallback of one's own rescues`() {
        let result = RunningProgram.run(
            "btc-price",
            [
                "-n", "1", "--primary", ShellSource.failing, "--fallback=exit 1", "--fallback",
                ShellSource.quoting("68901.23"),
            ],
            environment: environment)
        #expect(result.lines == [shown] && result.status == 0)
    }

    @Test func `the demo shows a steady price, a rescue, the banner and the recovery, without network`() {
        let result = RunningProgram.run(
            "btc-price", ["--demo", "-n", "14", "--interval", "200ms"], environment: environment)
        let banner = "Failed to update value. Displaying last updated value from "
        let prices = result.lines.map { $0.hasPrefix(banner) ? "banner" : String($0.suffix(10)) }
        let recorded = ["$61,141.09", "$61,136.51", "$61,136.51", "$61,136.51", "$61,136.51"]
        let rescued = ["$61,136.51", "$61,136.50", "$61,136.37", "$61,136.39"]
        let outage = Array(repeating: ["banner", "$61,136.39"], count: 4).flatMap { $0 }
        #expect(prices == recorded + rescued + outage + ["$61,166.00"])
        #expect(result.status == 0 && result.errors.split(separator: "\n").count == 1)
        #expect(
            folder.contents("btc-price/BTC-USD.json") == nil, "the demo must leave the user's own quote alone"
        )
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `29: a reader that goes away ends everything within a second, however long the interval`() {
        let command =
            "btc-price --interval 30s --primary \(ShellSource.quoting("1").shellQuoted) | head -1"
        let result = RunningProgram.run("bash", ["-c", command], environment: environment)
        #expect(result.lines.count == 1 && result.errors == "")
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(
        .enabled(if: isLinux, "needs /proc"),
        arguments: ["price-clock", "price-fallback", "price-cache", "price-format"])
    func `28: a killed stage ends everything within a second`(stage: String) throws {
        let running = RunningProgram("btc-price", ["--interval", "30s"] + primary, environment: environment)
        #expect(running.readLine() != nil)
        kill(try #require(marked.id(of: "\(stage) ") ?? marked.id(of: "/\(stage)")), SIGKILL)
        #expect(marked.areGone(within: .seconds(1)))
        #expect(running.result().status == 137)
        #expect(running.errors == "btc-price: error: a stage was ended by signal 9\n")
    }

    @Test(.enabled(if: isLinux, "needs /proc"), arguments: [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGKILL])
    func `28: a signal to the script ends everything within a second, quietly`(signal: Int32) {
        let running = RunningProgram("btc-price", ["--interval", "30s"] + primary, environment: environment)
        #expect(running.readLine() != nil)
        running.signal(signal)
        #expect(running.result().status == 128 + signal && running.errors == "")
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(arguments: [
        "bash link", "./link", "PATH=:$PATH link", "CDPATH=. ./link", "SHELLOPTS=errexit ./link",
        "env -u PATH /bin/bash link",
    ])
    func `it finds its programs through a link, from any folder, in any environment`(call: String) {
        let link = "cd \(folder.path) && ln -s \(Programs.folder.path.shellQuoted)/btc-price link"
        let result = RunningProgram.shell(
            "\(link) && \(call.replacing("SHELLOPTS=", with: "env SHELLOPTS=")) -n 1 --primary \"$PRIMARY\"",
            environment: environment.merging(["PRIMARY": primary[1]]) { $1 })
        #expect(result.lines == [shown] && result.status == 0 && result.errors == "")
    }

    @Test(arguments: ["price-fetch", "price-format", "price-clock"])
    func `a program that is missing is named, with status 69`(program: String) {
        let copy = "\(folder.path)/copy"
        let programs = Programs.folder.path.shellQuoted
        let prepare = "mkdir \(copy) && cp -R \(programs)/. \(copy) && rm \(copy)/\(program)"
        let result = RunningProgram.shell("\(prepare) && \(copy)/btc-price -n 1")
        #expect(result.status == 69 && result.output == "")
        #expect(result.errors == "btc-price: error: \(program) is missing from \(copy)\n")
    }

    @Test(arguments: [
        ["--wrong"], ["operand"], ["--primary"], ["--fallback", ""], ["--interval", "x"], ["-n", "x"],
        ["--demo", "--primary", "cat"], ["--fallback", "cat", "--demo"],
    ])
    func `wrong usage is one line and a hint, and status 64`(words: [String]) {
        let result = RunningProgram.run("btc-price", words, environment: environment)
        #expect(result.status == 64 && result.output == "" && result.errors.split(separator: "\n").count == 2)
    }
}
