import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The screen on a real terminal (tmux), and its job control on a pseudo-terminal.
@Suite(.endToEnd) struct ScreenTests {
    private let folder = TemporaryFolder()
    private let marked = MarkedProcesses()
    private let enter = "\u{1B}[?1049h", leave = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    private func source(_ price: String = "68901.23") -> [String: String] {
        ["SOURCE": ShellSource.quoting(price), "XDG_CACHE_HOME": folder.path]
    }

    private func terminal(_ more: [String: String] = [:]) -> Terminal {
        Terminal(environment: marked.environment.merging(source()) { $1 }.merging(more) { $1 })
    }

    private let pipeline =
        "btc-price --screen --interval 200ms --primary \"$SOURCE\" --fallback cat 2>/dev/null\r"

    /// Whether the terminal was sent the end of the screen after its last start.
    private func isRestored(_ terminal: Terminal) throws -> Bool {
        let entered = try #require(terminal.screen.range(of: enter, options: .backwards))
        let left = try #require(terminal.screen.range(of: leave, options: .backwards))
        return entered.lowerBound < left.lowerBound
    }

    /// Expects that a terminal of tmux comes to show a text.
    private func expectScreen(
        _ expected: String, _ columns: Int, _ rows: Int, _ recording: String,
        resizedTo size: (Int, Int)? = nil
    ) {
        folder.write("recording", recording)
        let show = "{ cat \(folder.path)/recording; sleep 60; } | TZ=UTC0 price-format --style screen"
        let terminal = TmuxTerminal(columns, rows, running: show)
        if let size {
            #expect(terminal.text { $0.contains("14:03") }.contains("14:03"))
            terminal.resize(size.0, size.1)
        }
        #expect(terminal.text { $0 == expected } == expected)
    }

    @Test(.enabled(if: Programs.has("tmux"), "needs tmux"))
    func `a real terminal shows the large price, and another size after a change of its size`() {
        let expected = """
            BTC-USD                                    ○

             ████ ███ ███    ███ ███  █    ███ ███
            █ █   █   █ █    █ █ █ █ ██      █   █
             ███  ███ ███    ███ █ █  █    ███ ███
              █ █ █ █ █ █  █   █ █ █  █    █     █
            ████  ███ ███ █  ███ ███ ███ █ ███ ███

            Nov 21, 14:03:07
            """
        expectScreen(expected, 44, 12, quoteLine() + "\n")
        expectScreen(expected, 100, 30, quoteLine() + "\n", resizedTo: (44, 12))
        expectScreen("$68,901.23         ○\nNov 21, 14:03:07", 44, 12, quoteLine() + "\n", resizedTo: (20, 4))
    }

    @Test(.enabled(if: Programs.has("tmux"), "needs tmux"))
    func `the banner is below the last price, and the first new quote removes it`() {
        let stale = quoteLine().dropLast() + #","error":true}"# + "\n"
        let banner = """
            $68,901.23         ○
            Failed to update
            value. Displaying
            last updated value
            from Nov 21,
            14:03:07 (0 s ago)
            """
        expectScreen(banner, 20, 6, String(stale))
        expectScreen(
            "$2.00              ●\nNov 21, 14:03:07", 20, 3, stale + quoteLine("2.00") + "\n")
    }

    @Test(
        .enabled(if: isLinux, "needs /proc"),
        arguments: ["\u{3}", "\u{1C}", SIGTERM, SIGHUP, SIGKILL] as [any Sendable])
    func `however it ends, the terminal is restored`(end: any Sendable) {
        let terminal = terminal()
        terminal.type(pipeline)
        #expect(terminal.waitFor(enter) && terminal.waitFor("14:03", after: 0))
        let mark = terminal.mark
        // When
        if let key = end as? String { terminal.type(key) }
        if let signal = end as? Int32, let view = marked.id(of: "--style screen"), marked.living.count > 3 {
            let format = marked.living.first { $0.value.hasPrefix("price-format") }?.key
            kill(format ?? view, signal)
        }
        // Then
        #expect(terminal.waitFor("ready> ", after: mark))
        let last = terminal.screen.dropFirst(mark)
        #expect(last.contains(leave) && !last.contains(enter))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `after a view that was killed, the terminal has the modes that it had before`() {
        let terminal = terminal(["F": folder.path])
        let prepare = "stty iutf8 -brkint -imaxbel; stty -g > \"$F/modes\""
        let check = "stty -g | cmp - \"$F/modes\" && echo the sa''me modes\r"
        // When
        terminal.type("\(prepare); \(pipeline.dropLast()); \(check)")
        #expect(terminal.waitFor(enter, after: 0) && terminal.waitFor("14:03", after: 0))
        let view = marked.living.first { $0.value.hasPrefix("price-format") }
        if let view { kill(view.key, SIGKILL) }
        // Then
        #expect(terminal.waitFor("the same modes", after: 0))
    }

    @Test func `at the end of the input the terminal is restored`() throws {
        let terminal = terminal()
        let mark = terminal.mark
        terminal.type("echo '{\"error\":true}' | price-format --style screen\r")
        #expect(terminal.waitFor(leave, after: mark))
        #expect(terminal.waitFor("ready> ", after: mark))
        #expect(try isRestored(terminal))
    }

    @Test
    func `Ctrl-Z restores the terminal, fg draws a new price at once, and nothing is drawn in between`()
        throws
    {
        let terminal = terminal()
        terminal.type(pipeline)
        #expect(terminal.waitFor(enter) && terminal.waitFor("14:03", after: 0))
        var mark = terminal.mark
        terminal.type("\u{1A}")
        #expect(terminal.waitFor("Stopped", after: mark))
        let stop = terminal.screen.dropFirst(mark)
        #expect(stop.contains(leave))
        terminal.pump(for: .milliseconds(100))
        #expect(try isRestored(terminal))
        mark = terminal.mark
        terminal.pump(for: .milliseconds(700))
        #expect(!terminal.screen.dropFirst(mark).contains("14:03"))
        // When
        mark = terminal.mark
        terminal.type("fg\r")
        // Then
        #expect(terminal.waitFor(enter, after: mark))
        #expect(terminal.waitFor("14:03", after: mark))
        #expect(!terminal.screen.dropFirst(mark).contains("Failed"))
        terminal.type("\u{3}")
        #expect(terminal.waitFor("ready> "))
    }

    @Test func `in the background it draws nothing over the shell`() {
        let terminal = terminal()
        let mark = terminal.mark
        terminal.type(pipeline.dropLast() + " &\r")
        terminal.pump(for: .milliseconds(1200))
        #expect(!terminal.screen.dropFirst(mark).contains(enter))
        terminal.type("fg\r")
        #expect(terminal.waitFor(enter, after: mark))
        terminal.type("\u{3}")
    }

    @Test(arguments: [["TERM": "dumb"], ["TERM": ""]])
    func `a terminal that can only append lines gets plain lines`(environment: [String: String]) {
        let terminal = terminal(environment)
        let mark = terminal.mark
        terminal.type(pipeline)
        #expect(terminal.waitFor("Nov 21, 14:03 - $68,901.23\n", after: mark))
        #expect(!terminal.screen.dropFirst(mark).contains("\u{1B}["))
        terminal.type("\u{3}")
    }

    @Test(arguments: ["screen", "board"])
    func `without a terminal the screen and the board are plain, and show no close as a price`(style: String)
    {
        let input = candleLine("68000.00", day: -1) + "\n" + quoteLine()
        let result = RunningProgram.run("price-format", ["--style", style], input: input)
        #expect(result.output == "Nov 21, 14:03 - $68,901.23\n")
    }

    @Test func `the screen asks for the close of yesterday first, and shows the change of today`() {
        let source = "bash \(Programs.folder.path.shellQuoted)/demo/walk"
        let terminal = terminal(["SOURCE": source])
        terminal.type(pipeline)
        #expect(terminal.waitFor(" % today"))
        terminal.type("q")
    }

    @Test(arguments: [
        (["--color", "always"], [:], true), (["--color", "never"], [:], false), ([], [:], false),
        (["--color", "auto"], [:], false), (["--color=always"], ["NO_COLOR": "1"], true),
    ])
    func `colors are used in a pipe only when they are asked for`(
        words: [String], environment: [String: String], usesColor: Bool
    ) {
        let stale = quoteLine().dropLast() + #","error":true}"#
        let result = RunningProgram.run("price-format", words, input: String(stale), environment: environment)
        let banner = "Failed to update value. Displaying last updated value from Nov 21, 14:03"
        let shown = usesColor ? "\u{1B}[33m\(banner)\u{1B}[0m" : banner
        #expect(result.lines == [shown, "Nov 21, 14:03 - $68,901.23"])
    }

    @Test(arguments: [([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true)])
    func `colors are used on a terminal unless NO_COLOR is set`(
        environment: [String: String], usesColor: Bool
    ) {
        let terminal = terminal(environment)
        let mark = terminal.mark
        terminal.type("echo '{\"error\":true}' | price-format\r")
        #expect(terminal.waitFor("from -", after: mark))
        #expect(terminal.screen.dropFirst(mark).contains("\u{1B}[33mFailed") == usesColor)
    }

    @Test(arguments: [
        (["LC_ALL": "C", "LANG": "C.UTF-8"], "^"), (["LC_ALL": "C.UTF-8", "LANG": "C"], "▲"),
        (["LC_CTYPE": "C.UTF-8", "LANG": "C"], "▲"),
        (["LC_ALL": "", "LC_CTYPE": "", "LANG": "de_DE.utf8"], "▲"),
    ])
    func `LC_ALL before LC_CTYPE before LANG decides whether signs outside ASCII are used`(
        environment: [String: String], sign: String
    ) {
        folder.write("recording", quoteLine("1.00") + "\n" + quoteLine("2.00") + "\n")
        let terminal = terminal(environment)
        let mark = terminal.mark
        terminal.type("cat \(folder.path)/recording | price-format --style screen\r")
        #expect(terminal.waitFor("\(sign) +1.00", after: mark))
    }
}
