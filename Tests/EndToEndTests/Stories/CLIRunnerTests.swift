import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The script that composes everything: what the user starts.
@Suite(.endToEnd) struct CLIRunnerTests {
    private let marked = MarkedProcesses()
    private let primary = ["--primary", ShellSource.quoting("68901.23")]
    private let shown = "Nov 21, 14:03 - $68,901.23"
    private let folder = TemporaryFolder()

    private var environment: [String: String] {
        marked.environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 }
    }

    @Test func `there is one line per second for ten seconds`() throws {
        let running = RunningProgram("btc-price", ["-n", "10"] + primary, environment: environment)
        var arrivals: [ContinuousClock.Instant] = []
        while let line = running.readLine() {
            arrivals.append(.now)
            #expect(line == shown)
        }
        let result = running.finish()
        #expect(result.status == 0 && result.errors == "" && result.lines.count == 10)
        let last = try #require(arrivals.last) - #require(arrivals.first)
        #expect(last > .milliseconds(8500) && last < .milliseconds(10500))
    }

    @Test func `a fallback that the user has named rescues the tick`() {
        let result = RunningProgram.run(
            "btc-price",
            [
                "-n", "1", "--primary", ShellSource.failing, "--fallback=exit 1", "--fallback",
                ShellSource.quoting("68901.23"),
            ],
            environment: environment)
        #expect(result.lines == [shown] && result.status == 0)
    }

    @Test func `the demo shows movement, a rescue, the banner and the recovery, and says what happens`() {
        // When
        let result = RunningProgram.run(
            "btc-price", ["--demo", "-n", "14", "--interval", "300ms"], environment: environment)
        // Then
        let banner = "Failed to update value. Displaying last updated value from "
        let prices = result.lines.map { $0.hasPrefix(banner) ? "banner" : String($0.suffix(10)) }
        let recorded = ["$61,175.98", "$61,177.88", "$61,179.97", "$61,174.96"]
        let rescued = ["$61,170.01", "$61,171.98", "$61,176.00"]
        let outage = Array(repeating: ["banner", "$61,176.00"], count: 3).flatMap { $0 }
        let back = ["$61,186.28", "$61,189.97", "$61,189.97", "$61,189.97"]
        #expect(prices == recorded + rescued + outage + back)
        #expect(
            result.errors == """
                btc-price: demo: recorded prices, no network; the sources fail and recover
                btc-price: demo: the primary source goes down; the fallback answers
                btc-price: demo: the network is gone; the last price is shown with its time
                btc-price: demo: the network is back

                """)
        #expect(result.status == 0)
        #expect(
            folder.contents("btc-price/BTC-USD.json") == nil, "the demo must leave the user's own quote alone"
        )
    }

    @Test func `the demo leaves no file, even if Ctrl-C ends it`() throws {
        let scratch = TemporaryFolder()
        func isEmpty() -> Bool {
            (try? FileManager.default.contentsOfDirectory(atPath: scratch.path)) == []
        }
        let terminal = Terminal(environment: environment.merging(["TMPDIR": scratch.path]) { $1 })
        terminal.type("btc-price --demo\r")
        #expect(terminal.waitFor("$61,177.88"))
        #expect(!isEmpty())
        terminal.type("\u{3}")
        #expect(terminal.waitUntil(within: .seconds(5), isEmpty))
    }

    @Test(arguments: [
        "bash link", "./link", "PATH=:$PATH link", "CDPATH=. ./link", "env -u PATH /bin/bash link",
    ])
    func `the script finds its programs through a link, from any folder, in any environment`(call: String) {
        let link = "cd \(folder.path) && ln -s \(Programs.folder.path.shellQuoted)/btc-price link"
        let result = RunningProgram.shell(
            "\(link) && \(call) -n 1 --primary \"$PRIMARY\"",
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
                result.status == 64 && result.errors.hasPrefix("\(script): error: missing value for \(option)\n"))
        }
    }
}
