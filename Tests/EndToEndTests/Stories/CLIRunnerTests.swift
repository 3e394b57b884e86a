import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// `btc-price`, the script that composes everything and that users start.
@Suite(.endToEnd) struct CLIRunnerTests {
    private let marked = MarkedProcesses()
    private let primary = ["--primary", ShellSource.quoting("68901.23"), "--fallback", ShellSource.silent]
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

    @Test func `a fallback from the command line rescues the tick`() {
        let result = RunningProgram.run(
            "btc-price",
            [
                "-n", "1", "--primary", ShellSource.failing, "--fallback=exit 1", "--fallback",
                ShellSource.quoting("68901.23"),
            ],
            environment: environment)
        #expect(result.lines == [shown] && result.status == 0)
    }

    @Test func `the demo reports each event: movement, a rescue, the banner and the recovery`() {
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
                btc-price: demo: prices of 2024, no network; the sources fail and recover
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

    @Test func `operands are symbols, and so are the lines of a file`() {
        folder.write("symbols", "# coins\r\nETH-USD\r\n\n  SOL-USD  XRP-USD # two\nADA-USD")
        let result = RunningProgram.run(
            "btc-price", primary + ["DOGE-USD", "-n1", "--symbols=\(folder.path)/symbols", "--", "ETH-USD"],
            environment: environment)
        let symbols = ["DOGE", "ETH", "SOL", "XRP", "ADA"]
        #expect(result.lines == symbols.map { "Nov 21, 14:03 - \($0)-USD $68,901.23" })
        #expect(result.status == 0 && result.errors == "")
    }

    @Test(arguments: [
        ("eth", "btc-price ETH-USD"), ("BTC/USD", "btc-price BTC-USD"), ("btc_eur", "btc-price BTC-EUR"),
        ("BTCUSD", "btc-price BTC-USD"), ("ethusdt", "btc-price ETH-USDT"), ("$ETH", "btc-price ETH-USD"),
        ("EUR", "btc-price BTC-EUR"), ("ETHBTC", "btc-price ETH-BTC"), ("NVDAX", "btc-price NVDAX-USD"),
        ("dogecoin", "btc-price DOGE-USD"), ("Ethereum", "btc-price ETH-USD"), ("", "btc-price BTC-USD"),
        ("\u{1B}[2J", "btc-price 2J-USD"),
        ("AAPL", "btc-price stocks://symbol/AAPL"), ("apple", "btc-price stocks://symbol/AAPL"),
        ("board", "btc-price --board"),
        ("help", "btc-price --help"), ("5", "btc-price -n 5"), ("5s", "btc-price --interval 5s"),
        ("7d", "btc-price --history -n 31"), ("price-fetch", "price-fetch --help"),
    ])
    func `a word that is not a pair is quoted back, with the command that was probably meant`(
        word: String, command: String
    ) {
        let symbol = word.replacing("\u{1B}", with: "?")
        expectRefusal(of: [word], "invalid symbol '\(symbol)': expected a pair such as BTC-USD", command)
    }

    @Test(arguments: PriceSource.all.map(\.name))
    func `the name of a source is quoted back, with the command that makes it the primary`(name: String) {
        let message = "invalid symbol '\(name)': expected a pair such as BTC-USD"
        expectRefusal(of: [name], message, "btc-price --primary \"price-fetch \(name)\"")
    }

    private func expectRefusal(of words: [String], _ message: String, _ command: String) {
        let result = RunningProgram.run("btc-price", words, environment: environment)
        #expect(result.errors == "btc-price: error: \(message)\nbtc-price: try '\(command)'\n")
        #expect(result.status == 64 && result.output == "")
    }

    @Test(arguments: [
        ("--bord", "btc-price --board"), ("--watch", "btc-price --board"), ("-v", "btc-price --version"),
        ("--days=7", "btc-price --history -n 31"), ("--format", "btc-price --json"),
        ("--symbol", "btc-price ETH-USD BTC-EUR"), ("--intervall", "btc-price --interval 10s"),
        ("--exchange", "btc-price --primary \"price-fetch kraken\""), ("--once", "btc-price -n 1"),
        ("-json", "btc-price --json"), ("--dmeo", "btc-price --demo"), ("--hsitory", "btc-price --history"),
        ("--chrat", "btc-price --chart"), ("--medan", "btc-price --median"), ("--puhs", "btc-price --push"),
        ("--wrong=3", "btc-price --help"), ("-x5", "btc-price --help"),
    ])
    func `an unknown option is quoted back, with the command that was probably meant`(
        word: String, command: String
    ) {
        expectRefusal(of: [word], "unknown option \(word.prefix { $0 != "=" })", command)
    }

    @Test(arguments: [
        (
            ["ETH-USD", "btcusdt", "bitcoin"], "invalid symbol 'btcusdt': expected a pair such as BTC-USD",
            "btc-price ETH-USD BTC-USDT BTC-USD"
        ),
        (["--", "--demo"], "invalid symbol '--demo': expected a pair such as BTC-USD", "btc-price --demo"),
        (["--demo=1"], "--demo takes no value", "btc-price --help"),
        (["--locale"], "missing value for --locale", "btc-price --help"),
        (
            ["--primary", "kraken"], "invalid value 'kraken' for --primary: expected a command",
            "btc-price --primary \"price-fetch kraken\""
        ),
        (["--fallback", ""], "invalid value '' for --fallback: expected a command", "btc-price --help"),
        (
            ["--history", "-n1000"], "invalid value '1000' for -n: expected 1 to 999 days",
            "btc-price --history -n 31"
        ),
        (
            ["-n", ""], "invalid value '' for -n: expected a whole number from 0 to 999999999999999",
            "btc-price --help"
        ),
        (
            ["--interval", "x"],
            "invalid value 'x' for --interval: expected a duration of at least 1ms, such as 800ms or 1s",
            "btc-price --help"
        ),
        (
            ["--fresh-for", ""], "invalid value '' for --fresh-for: expected a duration such as 800ms or 1s",
            "btc-price --help"
        ),
        (["--stocks", "nvda"], "--stocks cannot be combined with symbols", "btc-price stocks://symbol/NVDA"),
        (["--url", "ws://127.0.0.1/"], "--url requires --stocks", "btc-price --stocks --url URL"),
        (
            ["--stocks", "--url=http://127.0.0.1/"],
            "invalid value 'http://127.0.0.1/' for --url: expected a URL such as wss://example.com/echo",
            "btc-price --stocks"
        ),
        (
            ["stocks://symbol/x\u{1B}"], "unknown symbol 'X?': expected one of the 25 stocks",
            "btc-price --stocks"
        ),
        (
            ["stocks:NVDA"], "invalid link 'stocks:NVDA': expected a link such as stocks://symbol/NVDA",
            "btc-price stocks://symbol/NVDA"
        ),
        (
            ["stocks://symbol/KO", "stocks://symbol/V"], "only one link can be opened",
            "btc-price stocks://symbol/KO"
        ),
    ])
    func `wrong usage gives one error line, a hint and status 64`(
        words: [String], message: String, command: String
    ) {
        expectRefusal(of: words, message, command)
    }

    @Test(arguments: [
        ["--json", "--style=bar"], ["--board", "--stocks"], ["--board", "--style=bar"],
        ["--history", "--interval=1s"], ["--stocks", "--push"], ["--demo", "--primary=cat"],
        ["--demo", "--fallback=cat"], ["--push", "--primary=cat"], ["--demo", "--push"],
    ])
    func `options that cannot be combined are reported, in whatever order they are given`(words: [String]) {
        let names = words.map { $0.prefix { $0 != "=" } }
        let message = "\(names[0]) cannot be combined with \(names[1])"
        expectRefusal(of: words, message, "btc-price --help")
        expectRefusal(of: words.reversed(), message, "btc-price --help")
    }

    @Test(arguments: [
        (["--style", "bar"], "$68,901.23"), (["--locale=de_DE", "--style=bar"], "68.901,23\u{A0}$"),
        (["--time-format", "HH:mm:ss"], "14:03:07 - $68,901.23"),
        (["--style", "bar", "--color", "always"], "$68,901.23"),
    ])
    func `display options are passed on`(words: [String], line: String) {
        let result = RunningProgram.run("btc-price", ["-n1"] + primary + words, environment: environment)
        #expect(result.lines == [line] && result.status == 0 && result.errors == "")
    }

    @Test(arguments: [("--style", "btc-price"), ("--color", "btc-price"), ("--max-age", "price-cache")])
    func `a wrong value is reported once, for the view before anything is started, and ends everything`(
        option: String, stage: String
    ) {
        let result = RunningProgram.run(
            "btc-price", [option, "x", "--primary", "cat >/dev/null"], environment: environment)
        #expect(result.status == 64 && result.output == "")
        #expect(result.errors.hasPrefix("\(stage): error: invalid value 'x' for \(option): expected "))
        #expect(result.errors.hasSuffix("\n\(stage): try '\(stage) --help'\n"))
        #expect(result.errors.split(separator: "\n").count == 2)
    }

    @Test(arguments: [
        ("--style", "price-format"), ("--color", "price-format"), ("--time-format", "price-format"),
        ("--locale", "price-format"), ("--max-age", "price-cache"),
    ])
    func `the help describes an option in the words of its stage`(option: String, stage: String) throws {
        let entries = try ["btc-price", stage].map { program in
            let help = RunningProgram.run(program, ["--help"]).output.replacing(/\n {6,}/, with: " ")
            let line = try #require(help.split(separator: "\n").first { $0.hasPrefix("  \(option) ") })
            return line.replacing(#/\ +/#, with: " ")
        }
        #expect(entries[0] == entries[1])
    }

    @Test func `--max-age is passed on`() {
        let old = quoteLine("1.00", at: .now() + .seconds(-3600))
        #expect(RunningProgram.run("price-cache", input: old, environment: environment).status == 0)
        let words = ["-n3", "--interval=200ms", "--primary", ShellSource.failing, "--fallback", "exit 1"]
        let shown = ["--max-age=2h", "--max-age=1h"].map {
            RunningProgram.run("btc-price", words + [$0], environment: environment).lines.last
        }
        #expect(shown.first??.hasSuffix("$1.00") == true && shown.last == "-")
    }

    @Test(arguments: [["--json"], [], ["--style", "bar"], ["--style", "screen"]])
    func `with -n the status is 69 if no price was shown at all`(words: [String]) {
        let failing = ["-n1", "--primary", ShellSource.failing, "--fallback", "exit 1"]
        let result = RunningProgram.run("btc-price", failing + words, environment: environment)
        #expect(result.status == 69)
        #expect(
            result.errors.hasSuffix(
                """
                btc-price: error: no price: nothing is stored, and no source has answered
                btc-price: 'btc-price --demo' needs no network

                """))
    }

    @Test func `the store is queried first with the age limits, and the exchanges keep their time limits`()
        throws
    {
        let door = FrontDoor()
        try door.replace("price-fallback", by: "printf '%s\\n' \"$@\" >&2; exec cat")
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
    }

    @Test func `--json prints the readings with the error flag`() throws {
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
    func `binance is tried first, or its push feed with --push, then the others`(
        words: [String], sources: [String]
    ) throws {
        let copy = "\(folder.path)/copy"
        let programs = Programs.folder.path.shellQuoted
        let prepare = "mkdir \(copy) && cp -R \(programs)/. \(copy) && rm \(copy)/price-fetch"
        #expect(RunningProgram.shell(prepare).status == 0)
        folder.addTool(
            "copy/price-fetch",
            ShellSource.failing.replacing(#""source":"shell""#, with: #""source":"'$1'""#))
        let result = RunningProgram.run(
            "\(copy)/btc-price", ["-n1", "--json"] + words, environment: environment)
        let reading = try Reading(line: try #require(result.lines.last).utf8)
        #expect(reading.failures.map(\.source) == sources)
    }

    @Test func `a folder with a colon in its name is rejected, since PATH cannot hold it`() {
        let copy = "\(folder.path)/a:b"
        let programs = Programs.folder.path.shellQuoted
        let result = RunningProgram.shell("cp -R \(programs) \(copy) && \(copy)/btc-price --demo -n 1")
        let message = "cannot run from a folder with a colon in its name: \(copy)"
        #expect(result.errors == "btc-price: error: \(message)\n" && result.status == 69)
    }

    @Test(arguments: [
        "bash link", "./link", "PATH=:$PATH link", "CDPATH=. ./link", "sh link", "env -u PATH /bin/bash link",
    ])
    func `the script finds its programs through a link, from any folder, in any environment`(call: String) {
        let link = "cd \(folder.path) && ln -s \(Programs.folder.path.shellQuoted)/btc-price link"
        let result = RunningProgram.shell(
            "\(link) && \(call) -n 1 --primary \"$PRIMARY\"",
            environment: environment.merging(["PRIMARY": primary[1]]) { $1 })
        #expect(result.lines == [shown] && result.status == 0 && result.errors == "")
    }

    @Test(arguments: ["price-fetch", "price-format", "price-clock"])
    func `a missing program is reported by name, with status 69`(program: String) {
        let copy = "\(folder.path)/copy"
        let programs = Programs.folder.path.shellQuoted
        let prepare = "mkdir \(copy) && cp -R \(programs)/. \(copy) && rm \(copy)/\(program)"
        let result = RunningProgram.shell("\(prepare) && \(copy)/btc-price -n 1")
        #expect(result.status == 69 && result.output == "")
        #expect(result.errors == "btc-price: error: \(program) is missing from \(copy)\n")
    }

    @Test(arguments: ["price-clock", "btc-price"])
    func `the scripts print their help and version, and report a full disk`(script: String) {
        if isLinux {
            for word in ["--help", "--version"] {
                let full = RunningProgram.shell("\(script) \(word) > /dev/full")
                #expect(
                    full.status == 74 && full.errors == "\(script): error: cannot write standard output\n")
            }
        }
        let help = RunningProgram.run(script, ["--help"])
        #expect(help.status == 0 && help.errors == "" && help.lines.first?.hasPrefix("\(script): ") == true)
        #expect(RunningProgram.run(script, ["--version"]).output == "\(script) \(version)\n")
    }

    @Test(arguments: ["price-clock", "btc-price"])
    func `a script accepts every option in its help`(script: String) {
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
