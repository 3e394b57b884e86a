import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The screen in tmux and on a pseudo-terminal whose shell has job control.
@Suite(.endToEnd) struct ScreenTests {
    private let folder = TemporaryFolder()
    private let marked = MarkedProcesses()
    private let enter = "\u{1B}[?1049h"

    private func terminal(_ more: [String: String] = [:]) -> Terminal {
        let own = ["SOURCE": ShellSource.quoting("68901.23"), "XDG_CACHE_HOME": folder.path]
        return Terminal(environment: marked.environment.merging(own) { $1 }.merging(more) { $1 })
    }

    private let pipeline =
        "btc-price --screen --interval 200ms --primary \"$SOURCE\" --fallback cat 2>/dev/null\r"

    /// Expects that a tmux terminal eventually shows exactly the expected text. If a new size is given, the
    /// terminal is resized after the screen appears.
    private func expectScreen(
        _ expected: String, _ columns: Int, _ rows: Int, resizedTo size: (Int, Int)? = nil
    ) {
        let (first, later) = (quoteLine(), anyQuote(at: anyTime(60_000)))
        let second = Reading(answering: Tick(number: 13, at: anyTime(60_000)), later, from: "binance")
        folder.write("recording", "\(first)\n\(second.text)\n")
        let show = "{ cat \(folder.path)/recording; sleep 60; } | TZ=UTC0 price-format --style screen"
        let terminal = TmuxTerminal(columns, rows, running: show)
        if let size {
            #expect(terminal.text { $0.contains("14:04") }.contains("14:04"))
            terminal.resize(size.0, size.1)
        }
        #expect(terminal.text { $0 == expected } == expected)
    }

    @Test(.enabled(if: Programs.has("tmux"), "needs tmux"))
    func `the screen shows the price in large digits, and resizing the terminal changes the layout`() {
        let large = """
            ○ not live   every 1 min            14:04:07
            BTC-USD

             ████ ███ ███    ███ ███  █    ███ ███
            █ █   █   █ █    █ █ █ █ ██      █   █
             ███  ███ ███    ███ █ █  █    ███ ███
              █ █ █ █ █ █  █   █ █ █  █    █     █
            ████  ███ ███ █  ███ ███ ███ █ ███ ███

            Nov 21, 14:04:07
            esc back  ↑↓ next symbol  ? keys  q quit
            """
        let small = "○ not live  14:04:07\nBTC-USD $68,901.23\nNov 21, 14:04:07\nesc back"
        expectScreen(large, 44, 12)
        expectScreen(large, 100, 30, resizedTo: (44, 12))
        expectScreen(small, 44, 12, resizedTo: (20, 4))
    }

    @Test func `a screen in the background does not draw over the shell`() {
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

    @Test func `the screen requests yesterday's close and shows today's change`() {
        let source = "bash \(Programs.folder.path.shellQuoted)/demo/source demo"
        let terminal = terminal(["SOURCE": source])
        // On a busy machine, an answer may take more than 200 ms. A request that is not answered in time is
        // repeated only after ten seconds.
        terminal.type(pipeline.replacing("200ms", with: "1s"))
        #expect(terminal.waitFor("% today"))
        terminal.type("q")
    }

    @Test(arguments: [([:], true), (["NO_COLOR": "1"], false), (["NO_COLOR": ""], true)])
    func `by default, colors are used on a terminal unless NO_COLOR is set and not empty`(
        environment: [String: String], usesColor: Bool
    ) {
        let terminal = terminal(environment)
        let mark = terminal.mark
        terminal.type("echo '{\"error\":true}' | price-format\r")
        #expect(terminal.waitFor("No price yet", after: mark))
        #expect(terminal.screen.dropFirst(mark).contains("\u{1B}[33mNo price") == usesColor)
    }
}
