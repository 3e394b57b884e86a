import Foundation
import TestSupport
import TestTraits
import Testing

/// A watch list that can be changed while its prices are shown.
@Suite(.endToEnd) struct WatchListTests {
    private let folder = TemporaryFolder()

    private var file: String { "\(folder.path)/symbols" }

    private func clock(_ words: String...) -> RunningProgram {
        RunningProgram("price-clock", ["--interval", "20ms", "--symbols", file] + words)
    }

    private func symbol(of line: String?) -> Substring? {
        line?.firstMatch(of: /"symbol":"([^"]*)"/)?.output.1
    }

    /// Whether the clock eventually requests the symbol `wanted`.
    private func asks(_ clock: RunningProgram, for wanted: String) -> Bool {
        while let line = clock.readLine() { if symbol(of: line) ?? "" == wanted { return true } }
        return false
    }

    @Test func `the clock requests each symbol in its watch list and in its options once per beat`() {
        folder.write("symbols", "# coins\r\nETH-USD\r\n\n  SOL-USD  XRP-USD # two\nADA-USD")
        let words = ["-n1", "--symbol=A", "--symbols=\(file)", "--symbol", "ETH-USD", "--symbol", "B"]
        let result = RunningProgram.run("price-clock", words)
        #expect(result.lines.map(symbol) == ["A", "ETH-USD", "SOL-USD", "XRP-USD", "ADA-USD", "B"])
        #expect(result.status == 0 && result.errors == "")
    }

    @Test func `the clock reads a changed watch list again, even after two changes within a second`() {
        folder.write("symbols", "ETH-USD")
        let clock = clock()
        #expect(asks(clock, for: "ETH-USD"))
        // When
        folder.write("symbols", "SOL-USD")
        // Then
        #expect(asks(clock, for: "SOL-USD") && clock.errors == "")
        // And when the file changes again within the same second
        folder.write("symbols", "XRP-USD")
        #expect(asks(clock, for: "XRP-USD"))
    }

    @Test(arguments: [
        ("", "cannot use FILE: it contains no symbols"),
        ("ETH-USD\nETH/USD", "cannot use FILE: line 2: 'ETH/USD' is not a symbol such as BTC-USD"),
        ("a\u{1B}b", "cannot use FILE: line 1: 'a?b' is not a symbol such as BTC-USD"),
        (nil, "cannot read FILE: No such file or directory"),
    ])
    func `a watch list that becomes unusable is reported once, and the previous symbols stay in use`(
        text: String?, reason: String
    ) throws {
        folder.write("symbols", "ETH-USD")
        let clock = clock()
        #expect(asks(clock, for: "ETH-USD"))
        // When
        if let text {
            folder.write("symbols", text)
        } else {
            try FileManager.default.removeItem(atPath: file)
        }
        // Then
        #expect(clock.errors(containing: "\n"))
        let seen = clock.lineCount
        #expect(clock.waitUntil { clock.lineCount > seen + 3 })
        let expected = reason.replacing("FILE", with: file)
        #expect(clock.errors == "price-clock: warning: \(expected); the previous symbols stay in use\n")
        #expect(symbol(of: clock.readLine()) == "ETH-USD")
        // And the next valid list is used
        folder.write("symbols", "SOL-USD")
        #expect(asks(clock, for: "SOL-USD"))
    }

    @Test func `a watch list in a pipe is read once and does not delay the ticks`() {
        let clock = RunningProgram(
            "bash", ["-c", "exec price-clock --interval 20ms --symbols <(echo ETH-USD)"])
        for _ in 0..<5 { #expect(symbol(of: clock.readLine()) == "ETH-USD") }
        #expect(clock.errors == "")
    }

    @Test(arguments: [SIGHUP, SIGINT, SIGTERM])
    func `a signal ends the clock with status 128 plus the signal's number`(signal: Int32) {
        folder.write("symbols", "ETH-USD")
        let clock = RunningProgram("price-clock", ["--symbols", file, "--interval", "30s"])
        #expect(clock.readLine() != nil)
        clock.signal(signal)
        #expect(clock.result(within: .seconds(10)).status == 128 + signal)
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `btc-price reloads a changed watch list and reports an unusable list`() {
        folder.write("symbols", "ETH-USD")
        let marked = MarkedProcesses()
        let running = RunningProgram(
            "btc-price",
            [
                "--interval=100ms", "--style=bar", "--symbols", file, "--primary",
                ShellSource.quoting("1.00"), "--fallback", ShellSource.silent,
            ],
            environment: marked.environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 })
        #expect(running.readLine()?.hasPrefix("ETH-USD") == true)
        // When
        folder.write("symbols", "SOL-USD")
        // Then
        #expect(running.waitUntil { running.readLine()?.hasPrefix("SOL-USD") == true })
        folder.write("symbols", "")
        #expect(running.errors(containing: "it contains no symbols; the previous symbols stay in use\n"))
        #expect(running.readLine() != nil)
        running.signal(SIGTERM)
        #expect(running.result().status == 143 && marked.areGone(within: .seconds(1)))
    }

    @Test func `a misspelled symbol in the watch list gets its own row on the board`() {
        // Given
        folder.write("symbols", "ETH-USD")
        let terminal = Terminal(environment: ["XDG_CACHE_HOME": folder.path, "LC_ALL": "C.UTF-8"])
        terminal.resize(100, 24)
        terminal.type("btc-price --board --demo --symbols \(file)\r", expecting: "ETH-USD")
        // When
        let mark = terminal.mark
        folder.write("symbols", "ETH-USD solusd")
        // Then
        for text in ["SOLUSD", "unknown: demo"] { #expect(terminal.waitFor(text, after: mark)) }
        terminal.type("q", expecting: "[?1049l")
    }

    @Test(.fault(28), .enabled(if: isLinux, "needs /proc"), arguments: ["exec ", ""])
    func `after the terminal is closed, a pipeline with a watch list ends within a second`(how: String) {
        folder.write("symbols", "ETH-USD")
        let marked = MarkedProcesses()
        var terminal: Terminal? = Terminal(environment: marked.environment)
        let words = "--interval 30s --symbols \(file) --primary cat --fallback cat 2>&1"
        terminal?.type("\(how)btc-price \(words)\r")
        #expect(terminal?.waitFor("No price yet") == true)
        // When
        terminal = nil
        // Then
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test func `symbol arguments replace the user's watch list, which replaces the default pairs`() throws {
        let door = FrontDoor()
        func symbols(_ words: String..., environment: [String: String] = [:]) -> [Substring?] {
            let result = door.run(["--board", "--demo", "--json", "-n1"] + words, environment: environment)
            #expect(result.status == 0)
            return result.lines.filter { !$0.contains("candle") }.map(symbol)
        }
        #expect(symbols().count == 16 && symbols().first == "BTC-USD")
        // When the user has a watch list
        let configuration = "\(door.folder.path)/home/.config/btc-price"
        try FileManager.default.createDirectory(atPath: configuration, withIntermediateDirectories: true)
        door.folder.write("home/.config/btc-price/symbols", "ETH-USD # mine\nSOL-EUR\n")
        // Then
        #expect(symbols() == ["ETH-USD", "SOL-EUR"])
        #expect(symbols("XRP-USD") == ["XRP-USD"])
        folder.write("symbols", "ADA-USD")
        #expect(symbols("--symbols", file, "XRP-USD") == ["ADA-USD", "XRP-USD"])
        #expect(symbols(environment: ["XDG_CONFIG_HOME": folder.path]).count == 16)
    }

    @Test func `btc-price can read its watch list from a pipe`() {
        let source = ShellSource.quoting("1.00").shellQuoted
        let shown = RunningProgram.shell(
            "XDG_CACHE_HOME=\(folder.path) btc-price -n1 --symbols <(echo ETH-USD) --primary \(source)")
        #expect(shown.lines.map { $0.suffix(13) } == ["ETH-USD $1.00"] && shown.status == 0)
    }

    @Test func `a watch list may contain lowercase letters and the line endings of any system`() {
        folder.write("symbols", "\u{FEFF}btc-usd\reth-usd\r\nsol-usd")
        let result = RunningProgram.run(
            "btc-price", ["--board", "--demo", "--json", "-n1", "--symbols", file, "xrp-usd"])
        #expect(
            result.lines.filter { !$0.contains("candle") }.map(symbol) == [
                "BTC-USD", "ETH-USD", "SOL-USD", "XRP-USD",
            ])
    }

    @Test(
        .enabled(if: getuid() == 0 && Programs.has("setpriv"), "needs root and setpriv"),
        arguments: ["chmod 700 $F", "chmod 600 $F/symbols"])
    func `a watch list is reported as unreadable if its file or folder denies access`(command: String) {
        folder.write("symbols", "ETH-USD\n")
        let clock = Programs.project.appending(path: "scripts/price-clock").path.shellQuoted
        let result = RunningProgram.shell(
            "\(command); setpriv --reuid 65534 --clear-groups bash -p /dev/fd/3 --symbols $F/symbols 3< \(clock)",
            environment: ["F": folder.path])
        #expect(result.errors == "price-clock: error: cannot read \(file): Permission denied\n")
        #expect(result.status == 74)
    }
}
