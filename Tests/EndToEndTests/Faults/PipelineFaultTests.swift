import Foundation
import PipeCommon
import TestSupport
import Testing

/// What the whole pipeline must survive. A test is named after its row in the README.
@Suite struct PipelineFaultTests {
    private let folder = TemporaryFolder()
    private let marked = MarkedProcesses()

    /// The readings of a pipeline whose wall clock is set while it runs.
    private func readings(setting clock: String) throws -> [(at: Timestamp, reading: Reading)] {
        let server = StubServer(.ok(#"{"symbol":"BTCUSDT","price":"68901.23"}"#))
        folder.write("time", "+0\n")
        let command = """
            price-clock --interval 100ms -n 40 | price-fallback 'price-fetch --url \(server.url()) binance' |
                price-cache --file \(folder.path)/quote.json
            """
        let fake = [
            "FAKETIME_TIMESTAMP_FILE": "\(folder.path)/time", "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "LD_PRELOAD": Self.fakeTime ?? "",
        ]
        let running = RunningProgram("bash", ["-c", command], environment: fake)
        var readings: [(Timestamp, Reading)] = []
        while let line = running.readLine(within: .seconds(5)) {
            readings.append((.now(), try Reading(line: line.utf8)))
            if readings.count == 20 { folder.write("time", clock + "\n") }
        }
        let end = running.finish()
        #expect(end.status == 0)
        #expect(end.errors == "")
        return readings
    }

    private static let fakeTime = ["x86_64", "aarch64"].map {
        "/usr/lib/\($0)-linux-gnu/faketime/libfaketime.so.1"
    }
    .first { FileManager.default.fileExists(atPath: $0) }

    @Test(.enabled(if: fakeTime != nil, "needs libfaketime"), arguments: ["+1h", "-1h"])
    func `26: when the wall clock steps an hour the beat goes on, without a burst, a hole or a banner`(
        step: String
    ) throws {
        let readings = try readings(setting: step)
        try #require(readings.map(\.reading.tick) == (0..<40).map { $0 })
        // The tick that sees the step may be late by one beat, or fail.
        let failed = readings.filter { !$0.reading.isFresh }
        #expect(failed.count <= 1)
        for (one, next) in zip(readings, readings.dropFirst()) {
            #expect(next.at.milliseconds - one.at.milliseconds < 1500)
        }
        let whole = readings.last!.at.milliseconds - readings[0].at.milliseconds
        #expect((3500...8000).contains(whole))
        // And the file has taken the step too
        let stepped = step == "+1h" ? 3_600_000 : -3_600_000
        let text = try #require(folder.contents("quote.json"))
        let stored = try Reading(line: text.utf8.dropLast()).quote!.timestamp.milliseconds
        #expect(abs(stored - stepped - Timestamp.now().milliseconds) < 60_000)
    }

    @Test(
        .enabled(if: isLinux, "needs /proc"),
        arguments: [
            "price-fetch --url http://127.0.0.1:\(Loopback.freePort()) binance",
            "price-fallback cat", "price-cache --file quote.json", "price-format",
        ])
    func `30: a line of 10 MB is one diagnostic, in constant memory, and the stream goes on`(program: String)
        throws
    {
        let tick = #"{"tick":7,"failures":[{"source":"x","kind":"network","message":"m"}]}"#
        let feed = "{ head -c 10000000 /dev/zero | tr '\\0' x; echo; echo '\(tick)'; read -r _; }"
        let command = "cd \(folder.path); \(feed) | \(program)"
        let running = RunningProgram("bash", ["-c", command], environment: marked.environment)
        #expect(running.readLine() != nil)
        let process = marked.living.first { $0.value.hasPrefix(program.prefix { $0 != " " }) }
        #expect(marked.peakMemory(of: try #require(process).key) < 60 << 20)
        running.write("\n")
        let result = running.finish()
        #expect(result.errors.components(separatedBy: "line 1: longer than 64 KiB\n").count == 2)
        #expect(result.lines.count == (program == "price-format" ? 2 : 1))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `28: when the terminal is closed all is gone within a second`() throws {
        var terminal: Terminal? = Terminal(environment: marked.environment)
        terminal?.type("exec btc-price --primary cat --fallback cat 2>&1\r")
        #expect(terminal?.waitFor("Failed to update value") == true)
        #expect(marked.living.count > 4)
        // When
        terminal = nil
        // Then
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `29: with SIGPIPE ignored by the caller a reader that is gone still ends everything quietly`() {
        let source = ShellSource.quoting("68901.23")
        let command = """
            trap '' PIPE; cd \(folder.path); export XDG_CACHE_HOME=$PWD
            btc-price --interval 50ms --primary "$SOURCE" --fallback cat | head -1; echo ${PIPESTATUS[0]}
            """
        let environment = marked.environment.merging(["SOURCE": source]) { $1 }
        let result = RunningProgram.shell(command, environment: environment)
        #expect(result.lines.count == 2 && ["141", "0"].contains(result.lines.last))
        #expect(result.errors == "")
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test func `33: what a server says is shown harmless, in one line, on every stream`() throws {
        let hostile = #"E\u001b]0;owned\u0007\r\n\u202e\u2028\u009b31m\u0000end"#
        let server = StubServer(.ok(#"{"error":["\#(hostile)"],"result":{}}"#))
        let bare = StubServer(.ok("\u{1B}[2J\u{202E}\r\n"))
        let command = """
            price-clock -n 1 | price-fallback 'price-fetch --url \(server.url()) kraken' \
                'price-fetch --url \(bare.url("/%1b%5b31m")) binance' 'echo bad$(printf "\\033[31m\\r")line; cat' |
                tee /dev/stderr | price-cache --file quote.json | tee /dev/stderr | price-format
            """
        let result = RunningProgram.shell("cd \(folder.path); " + command)
        #expect(result.errors.contains("owned") && result.lines.count == 2)
        let isClean = (result.output + result.errors).unicodeScalars.allSatisfy {
            $0 == "\n"
                || $0.value >= 0x20 && $0.properties.generalCategory != .control
                    && $0.properties.generalCategory != .format && $0.value != 0x2028
        }
        #expect(isClean, "\(result.errors.debugDescription)")
    }

    @Test(arguments: [
        "env -u HOME", "env", "env LC_ALL=nonsense", "env -i HOME=/ PATH=", "env LC_ALL=C",
        "env POSIXLY_CORRECT=1",
    ])
    func `36: the same bytes in any environment`(environment: String) throws {
        try expectUsualBytes(in: environment)
    }

    @Test(
        .enabled(if: ForeignLocale.areInstalled, "needs the locales de_DE and tr_TR"),
        arguments: ForeignLocale.names)
    func `36: the same bytes in any locale`(locale: String) throws {
        try expectUsualBytes(in: "env LANG=\(locale) LC_ALL=\(locale)")
    }

    private func expectUsualBytes(in environment: String) throws {
        let recording =
            quoteLine("68901.23", symbol: "ETH-USD") + "\n" + failureLine(symbol: "ETH-USD") + "\n"
        let paths = ["price-cache", "price-format"].map { "\(Programs.folder.path.shellQuoted)/\($0)" }
        let usual = RunningProgram.shell(
            "\(paths[0]) --file \(folder.path)/usual | /usr/bin/env TZ=UTC0 \(paths[1])", input: recording)
        // When
        let change = "/usr/bin/\(environment)"
        let odd = RunningProgram.shell(
            "umask 000; \(change) \(paths[0]) --file \(folder.path)/odd | \(change) TZ=UTC0 \(paths[1])",
            input: recording)
        // Then
        #expect(odd.output == usual.output && odd.lines.count == 3 && odd.errors == "" && odd.status == 0)
        #expect(folder.contents("odd") == folder.contents("usual"))
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/odd")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: ["", "Nowhere/Else", ":", "Foo-3:30", "<+0330>-3:30", "../../etc/passwd", "UTC0"])
    func `36: an odd time zone changes the time that is shown, and nothing else`(zone: String) throws {
        let result = RunningProgram.run("price-format", input: quoteLine(), environment: ["TZ": zone])
        #expect(result.status == 0 && result.errors == "")
        #expect(result.lines[0].wholeMatch(of: /Nov 2[12], \d\d:\d\d - \$68,901\.23/) != nil)
    }
}
