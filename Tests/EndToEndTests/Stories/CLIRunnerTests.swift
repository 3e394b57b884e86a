import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// `btc-price`, the script that users start and that runs the other programs as a pipeline.
@Suite(.endToEnd) struct CLIRunnerTests {
    private let marked = MarkedProcesses()
    private let primary = ["--primary", ShellSource.quoting("68901.23"), "--fallback", ShellSource.silent]
    private let shown = "Nov 21, 14:03 - $68,901.23"
    private let folder = TemporaryFolder()

    private var environment: [String: String] {
        marked.environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 }
    }

    @Test func `one line is printed per second, and -n limits the number of lines`() throws {
        let running = RunningProgram("btc-price", ["-n", "4"] + primary, environment: environment)
        var arrivals: [ContinuousClock.Instant] = []
        while let line = running.readLine() {
            arrivals.append(.now)
            #expect(line == shown)
        }
        let result = running.finish()
        #expect(result.status == 0 && result.errors == "" && result.lines.count == 4)
        let last = try #require(arrivals.last) - #require(arrivals.first)
        #expect(last > .milliseconds(2500) && last < .milliseconds(4500))
    }

    @Test func `a fallback given on the command line answers if the primary fails`() {
        let result = RunningProgram.run(
            "btc-price",
            [
                "-n", "1", "--primary", ShellSource.failing, "--fallback=exit 1", "--fallback",
                ShellSource.quoting("68901.23"),
            ],
            environment: environment)
        #expect(result.lines == [shown] && result.status == 0)
    }

    @Test func `the demo reports the primary's failure, the outage, the recovery and the outvoted price`() {
        // When
        let result = RunningProgram.run(
            "btc-price", ["--demo", "-n", "17", "--interval", "300ms"], environment: environment)
        // Then
        let banner = "Failed to update value. Displaying last updated value from "
        let prices = result.lines.map { $0.hasPrefix(banner) ? "banner" : String($0.suffix(10)) }
        let recorded = ["$61,175.98", "$61,177.88", "$61,179.97", "$61,174.96"]
        let rescued = ["$61,170.01", "$61,171.98", "$61,176.00"]
        let outage = Array(repeating: ["banner", "$61,176.00"], count: 3).flatMap { $0 }
        let back = ["$61,186.28", "$61,189.97", "$61,189.97", "$61,189.97"]
        let outvoted = ["$61,189.97", "$61,189.96", "$61,169.13"]
        #expect(prices == recorded + rescued + outage + back + outvoted)
        // On a busy machine, the first answer of the second fallback may be late.
        let late = /price-fallback: warning: source 3: no answer within 1000 ms\n/
        #expect(
            result.errors.replacing(late, with: "") == """
                btc-price: demo: prices of 2024, no network; the sources fail and recover
                btc-price: demo: the primary source goes down; the fallback answers
                btc-price: demo: the network is gone; the last price is shown with its time
                btc-price: demo: the network is back
                btc-price: demo: the primary source is wrong and is outvoted
                btc-price: demo: the primary source is right again

                """)
        #expect(result.status == 0)
        #expect(folder.contents("btc-price/BTC-USD.json") == nil, "the demo must not replace a real quote")
    }

    @Test(arguments: PriceSource.all.map(\.name))
    func `if a source is given in place of a symbol, the error message suggests using --primary`(name: String)
    {
        let result = RunningProgram.run("btc-price", [name], environment: environment)
        #expect(
            result.errors == """
                btc-price: error: invalid symbol '\(name)': expected a pair such as BTC-USD
                btc-price: try 'btc-price --primary "price-fetch \(name)"'

                """)
        #expect(result.status == 64 && result.output == "")
    }

    @Test(arguments: [
        (["--style", "bar"], "$68,901.23"), (["--locale=de_DE", "--style=bar"], "68.901,23\u{A0}$"),
        (["--time-format", "HH:mm:ss"], "14:03:07 - $68,901.23"),
        (["--style", "bar", "--color", "always"], "$68,901.23"),
    ])
    func `display options are passed on to price-format`(words: [String], line: String) {
        let result = RunningProgram.run("btc-price", ["-n1"] + primary + words, environment: environment)
        #expect(result.lines == [line] && result.status == 0 && result.errors == "")
    }

    @Test(arguments: [
        ("--style", "price-format"), ("--color", "price-format"), ("--time-format", "price-format"),
        ("--locale", "price-format"), ("--max-age", "price-cache"),
    ])
    func `btc-price --help describes a stage's option in the same words as the stage's own --help`(
        option: String, stage: String
    ) throws {
        let entries = try ["btc-price", stage].map { program in
            let help = RunningProgram.run(program, ["--help"]).output.replacing(/\n {6,}/, with: " ")
            let line = try #require(help.split(separator: "\n").first { $0.hasPrefix("  \(option) ") })
            return line.replacing(#/\ +/#, with: " ")
        }
        #expect(entries[0] == entries[1])
    }

    @Test(arguments: [["--json"], [], ["--style", "bar"], ["--style", "screen"]])
    func `with -n, the status is 69 if no price is shown at all`(words: [String]) {
        let failing = ["-n1", "--primary", ShellSource.failing, "--fallback", "exit 1"]
        let result = RunningProgram.run("btc-price", failing + words, environment: environment)
        #expect(result.status == 69)
        #expect(
            result.errors.hasSuffix(
                """
                btc-price: error: no price: neither the sources nor the store provided a usable price
                btc-price: 'btc-price --demo' needs no network

                """))
    }

    @Test func `with --fresh-for, the store is queried first, and the primary still gets 800 ms`() throws {
        let door = FrontDoor()
        try door.replace("price-fallback", by: "printf '%s\\n' \"$@\" >&2; exec cat")
        try door.replace("price-cache", by: "echo \"$@\" >~/words; exec cat")
        let words = [
            "--json", "-n0", "--fresh-for", "1h", "--max-age=10m", "--primary", "a b", "--fallback", "c",
        ]
        let result = door.run(words)
        #expect(
            result.errors == """
                --timeout
                200ms
                --budget
                1s
                price-cache --answer --fresh-for 1h --max-age 10m
                price-fallback --timeout 800ms --budget 980ms 'a b' c

                """)
        #expect(door.folder.contents("home/words") == "--max-age 10m\n")
    }

    @Test func `with --json, each printed reading contains the error flag`() throws {
        let result = RunningProgram.run(
            "btc-price", ["-n1", "--json", "ETH-USD"] + primary, environment: environment)
        let reading = try Reading(line: try #require(result.lines.first).utf8)
        #expect(reading.symbol?.text == "ETH-USD" && reading.quote?.price.text == "68901.23")
        #expect(reading.error == false && result.lines.count == 1 && result.status == 0)
        let arguments = (["--json"] + primary).map(\.shellQuoted).joined(separator: " ")
        let full = RunningProgram.shell("btc-price \(arguments) > /dev/full", environment: environment)
        if isLinux { #expect(full.status == 74) }
    }

    @Test(arguments: [
        ([], ["binance", "cryptocompare", "coinbase"]),
        (["--push"], ["--push", "binance", "cryptocompare", "coinbase"]),
        (["--board"], ["binance", "kraken", "coinbase"]),
        (["--board", "--push"], ["--push", "binance", "kraken", "coinbase"]),
    ])
    func `the options --push and --board change the list of default sources`(
        words: [String], sources: [String]
    ) throws {
        let door = FrontDoor()
        try door.replace(
            "price-fetch",
            by: ShellSource.failing.replacing(#""source":"shell""#, with: #""source":"'$1'""#))
        let reading = try #require(door.run(["-n1", "--json"] + words).readings().last)
        #expect(reading.failures.map(\.source) == sources)
    }

    @Test func `candles are never requested from a push feed`() throws {
        let door = FrontDoor()
        try door.replace("price-fallback", by: "printf '%s\\n' \"$@\" >&2; exec cat")
        let result = door.run(["--chart", "--push"])
        #expect(result.errors.contains("price-fetch --timeout 4s kraken"))
        #expect(!result.errors.contains("--push"))
    }

    @Test func `btc-price does not run from a folder with a colon in its path`() {
        let copy = "\(folder.path)/a:b"
        let programs = Programs.folder.path.shellQuoted
        let result = RunningProgram.shell("cp -R \(programs) \(copy) && \(copy)/btc-price --demo -n 1")
        let message = "cannot run from a folder with a colon in its path: \(copy)"
        #expect(result.errors == "btc-price: error: \(message)\n" && result.status == 69)
    }

    @Test(arguments: [
        "bash link", "./link", "PATH=:$PATH link", "CDPATH=. ./link", "sh link", "env -u PATH /bin/bash link",
    ])
    func `btc-price can be started through a symbolic link, even by sh or without a PATH`(call: String) {
        let link = "cd \(folder.path) && ln -s \(Programs.folder.path.shellQuoted)/btc-price link"
        let result = RunningProgram.shell(
            "\(link) && \(call) -n 1 --primary \"$PRIMARY\"",
            environment: environment.merging(["PRIMARY": primary[1]]) { $1 })
        #expect(result.lines == [shown] && result.status == 0 && result.errors == "")
    }

    @Test(arguments: ["price-fetch", "price-format", "price-clock", "front/coins.tsv", "demo/narrate"])
    func `a missing program or file is reported by name, with status 69`(name: String) {
        let door = FrontDoor()
        let bin = "\(door.folder.path)/bin"
        let result = RunningProgram.shell("rm \(bin)/\(name) && \(bin)/btc-price -n 1")
        #expect(result.status == 69 && result.output == "")
        #expect(result.errors == "btc-price: error: \(name) is missing from \(bin)\n")
    }

    @Test(arguments: ["price-clock", "btc-price"])
    func `the scripts print their help and version, and report a full disk`(script: String) {
        if isLinux {
            for word in ["--help", "--version"] {
                let full = RunningProgram.shell("\(script) \(word) > /dev/full")
                #expect(
                    full.status == 74 && full.errors == "\(script): error: cannot write to standard output\n")
            }
        }
        let help = RunningProgram.run(script, ["--help"])
        #expect(help.status == 0 && help.errors == "" && help.lines.first?.hasPrefix("\(script): ") == true)
        #expect(RunningProgram.run(script, ["--version"]).output == "\(script) \(version)\n")
    }

    @Test(arguments: ["price-clock", "btc-price"])
    func `a script reports an error if the value of an option is missing`(script: String) {
        let help = RunningProgram.run(script, ["--help"]).lines
        let options = help.compactMap {
            $0.wholeMatch(of: #/  (?:-h, )?(--?[a-z-]+)( [A-Za-z0-9|]+)?  .*/#)?.output
        }
        #expect(options.count == help.filter { $0.hasPrefix("  -") }.count && options.count >= 5)
        for (_, option, value) in options where value != nil {
            let result = RunningProgram.run(script, [String(option)])
            #expect(
                result.status == 64
                    && result.errors.hasPrefix("\(script): error: missing value for \(option)\n"))
        }
    }
}
