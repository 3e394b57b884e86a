import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The board on a pseudo-terminal: its rows, its keys, its requests to the clock, and its exit.
@Suite(.endToEnd) struct BoardTests {
    private let folder = TemporaryFolder()
    private let marked = MarkedProcesses()
    private let enter = "\u{1B}[?1049h", leave = "\u{1B}[?1049l"

    private func terminal(_ environment: [String: String] = [:]) -> Terminal {
        let own = ["SOURCE": ShellSource.quoting("68901.23"), "F": folder.path]
        return Terminal(
            environment: marked.environment.merging(own) { $1 }.merging(environment) { $1 })
    }

    private let pipeline = """
        price-clock --interval 100ms --symbol BTC-USD --symbol ETH-USD | price-fallback "$SOURCE" |
        price-format --style board
        """

    /// A pipeline whose clock reads the board's requests, and whose ticks are copied to a file.
    private let loop = """
        mkfifo "$F/requests"; price-clock --interval 50ms --requests 3 3< "$F/requests" | tee "$F/ticks" |
        price-fallback "$SOURCE" | price-format --style board --requests 3 3> "$F/requests"
        """

    private var ticks: Int { folder.contents("ticks")?.utf8.count ?? 0 }

    /// Whether the clock has stopped, that is, does not print a tick for a quarter of a second.
    private func isStopped(_ terminal: Terminal) -> Bool {
        terminal.pump(for: .milliseconds(150))
        let before = ticks
        terminal.pump(for: .milliseconds(250))
        return ticks == before
    }

    /// A command that shows a board with one reading and keeps the board's input open for a minute.
    private let board = "{ echo '\(quoteLine())'; sleep 60; } | price-format --style board"

    /// Runs a command in a new terminal and returns the terminal once the board shows a price.
    private func showing(_ command: String) -> Terminal {
        let terminal = terminal()
        terminal.type(command.replacing("|\n", with: "| ") + "\r")
        #expect(terminal.waitFor(enter) && terminal.waitFor("BTC-USD     $68,901.23", after: 0))
        return terminal
    }

    @Test(arguments: [
        ("", "by price"), ("ADA-USD BTC-USD", "as given"), ("--sort name ADA-USD BTC-USD", "by name"),
    ])
    func `rows are sorted by price unless the command line contains symbols or --sort`(
        words: String, order: String
    ) {
        let terminal = terminal(["XDG_CACHE_HOME": folder.path])
        terminal.type("btc-price --board --demo \(words)\r", expecting: "   \(order)")
        terminal.type("q")
    }

    @Test func `symbols keep their order even if the answers arrive in another order`() throws {
        // Given a source that answers one symbol later than the other
        let quote =
            #""source":"x","quote":{"value":"7.00","currency":"USD","timestamp":"2026-11-21T14:03:07.000Z"}"#
        folder.write(
            "source",
            """
            answer() { printf '%s,%s}\\n' "${tick%?}" '\(quote)'; }
            while read -r tick; do case $tick in *ETH*) { sleep 0.1; answer; } & ;; *) answer ;; esac; done
            """)
        let terminal = terminal(["XDG_CACHE_HOME": folder.path])
        // When
        terminal.type("btc-price --primary \"bash $F/source\" --fallback cat --board ETH-USD BTC-USD\r")
        // Then
        #expect(terminal.waitFor(enter) && terminal.waitFor("2 of 2 current", after: 0))
        let board = try #require(terminal.screen.range(of: enter)).upperBound
        let rows = ["ETH-USD", "BTC-USD"].map { terminal.screen[board...].range(of: "  \($0)")?.lowerBound }
        #expect(try #require(rows[0]) < #require(rows[1]))
        terminal.type("q")
    }

    private func process(_ name: String) -> Int32? {
        marked.living.first { $0.value.contains(name) }?.key
    }

    @Test func `keys select a symbol, show or hide its details, and end the board`() {
        let terminal = showing("\(pipeline); echo \"status: ${PIPESTATUS[2]}\"")
        terminal.type("j", expecting: "▸\u{1B}[0m\u{1B}[7m BTC-USD")
        terminal.type("\r", expecting: "session: high $68,901.23")
        terminal.type("\u{1B}", expecting: "LAST MOVE")
        terminal.type("/eth", expecting: "▸\u{1B}[0m\u{1B}[7m ETH-USD")
        terminal.type("\r?", expecting: "PgUp PgDn")
        terminal.type("q", expecting: "status: 0\n")
        terminal.expectEcho()
    }

    @Test func `--open shows a symbol's description even if the --names file contains a bad line`() {
        folder.write("names", "ETH-USD\tEther\tThe coin of a network.\nbad\n")
        let terminal = terminal()
        terminal.type(
            "\(pipeline.replacing("|\n", with: "| ")) --names $F/names --open eth-usd\r",
            expecting: "names: line 2: expected a symbol")
        #expect(terminal.waitFor("The coin of a network.", after: 0))
        terminal.type("q", expecting: leave)
    }

    @Test func `without --requests, pressing the space bar shows that the clock cannot be stopped`() {
        let terminal = showing(pipeline)
        terminal.type(" ", expecting: "cannot stop the clock")
        terminal.type("q", expecting: leave)
    }

    @Test func `the space bar stops the clock and starts it again`() {
        let terminal = showing(loop)
        terminal.type(" ", expecting: "‖ stopped")
        #expect(isStopped(terminal))
        let before = ticks
        terminal.type(" ", expecting: "● live")
        #expect(terminal.waitUntil(within: .seconds(5)) { ticks > before })
        terminal.type("p", expecting: "‖ stopped")
        #expect(isStopped(terminal))
        terminal.type("q", expecting: "ready> ")
    }

    @Test func `a stopped clock stays stopped after Ctrl-Z and fg`() {
        let terminal = showing(loop)
        terminal.type(" ", expecting: "‖ stopped")
        terminal.type("\u{1A}", expecting: "ready> ")
        terminal.type("fg\r", expecting: "‖ stopped")
        #expect(isStopped(terminal))
        terminal.type("q", expecting: "ready> ")
    }

    @Test func `the board ends when no process reads its requests any longer`() {
        let terminal = terminal()
        terminal.type("\(board) --requests 3 3> >(sleep 1)\r", expecting: "BTC-USD     $68,901.23")
        #expect(terminal.waitFor(leave))
        terminal.type("\u{3}")
    }

    @Test(.fault(58)) func `keys still work if the clock does not read the board's requests`() {
        let terminal = terminal()
        terminal.type("\(board) --requests 3 3> >(sleep 60)\r", expecting: "BTC-USD     $68,901.23")
        // Each key press sends a request; the requests together are larger than the buffer of a pipe.
        for _ in 0..<120 { terminal.type(String(repeating: " ", count: 128)) }
        #expect(terminal.waitFor("the clock is not reading requests"))
        terminal.type("q", expecting: leave)
        terminal.type("\u{3}")
    }

    @Test(arguments: ["board", "screen"])
    func `the last frame stays on the terminal when the input ends, but not after q`(style: String) {
        let terminal = terminal()
        terminal.type("echo '\(quoteLine())' | price-format --style \(style); echo sta''tus: $?\r")
        #expect(terminal.waitFor("status: 0"))
        let text = terminal.screen.components(separatedBy: leave).last ?? ""
        #expect(text.contains("BTC-USD") && !text.contains("q quit"))
        // When
        terminal.type(board.replacing("board", with: style) + "\r", expecting: enter)
        terminal.type("q", expecting: leave)
        terminal.type("\u{3}")
        #expect(terminal.screen.components(separatedBy: leave).last?.contains("BTC-USD") == false)
    }

    @Test func `before the first reading, typed keys are not echoed, and q quits`() {
        let terminal = terminal()
        terminal.type(
            "mkfifo $F/empty; exec 9<>$F/empty; price-format --style board <&9; echo sta''tus: $?\r")
        #expect(
            terminal.waitUntil {
                terminal.pump(for: .milliseconds(100))
                let mark = terminal.mark
                terminal.type("x")
                terminal.pump(for: .milliseconds(100))
                return terminal.mark == mark
            })
        terminal.type("q", expecting: "status: 0\n")
        #expect(!terminal.screen.contains(enter))
        terminal.expectEcho()
    }

    @Test
    func `the whole screen is redrawn after a terminal resize, even if the old size is restored at once`() {
        let terminal = terminal()
        terminal.type("\(board)\r", expecting: "BTC-USD     $68,901.23")
        let mark = terminal.mark
        terminal.resize(60, 20)
        terminal.resize(80, 24)
        #expect(terminal.waitFor("BTC-USD     $68,901.23", after: mark))
        terminal.type("q", expecting: leave)
        terminal.type("\u{3}")
    }

    @Test(.enabled(if: isLinux && Programs.has("dash"), "needs /proc and dash"))
    func `a board that has lost the terminal to a shell still restores the terminal's modes when it ends`()
        throws
    {
        let terminal = terminal()
        folder.write("show", "\(board); true\n")
        terminal.type("dash -i\r", expecting: "ready> ")
        terminal.type("dash $F/show\r", expecting: "BTC-USD     $68,901.23")
        let script = try #require(process("/show"))
        let view = try #require(process("price-format"))
        let mark = terminal.mark
        kill(script, SIGKILL)
        #expect(terminal.waitFor("ready> ", after: mark))
        kill(view, SIGTERM)
        #expect(terminal.waitUntil { marked.living[view] == nil })
        terminal.expectEcho()
    }

    @Test(.fault(52), .enabled(if: isLinux, "needs /proc"))
    func `when a signal ends the board, the terminal is restored, and a stopped clock also ends`() throws {
        let terminal = showing("ulimit -c 0; \(loop)")
        terminal.type(" ", expecting: "‖ stopped")
        let mark = terminal.mark
        kill(try #require(process("price-format")), SIGSEGV)
        #expect(terminal.waitFor("ready> ", after: mark))
        #expect(terminal.screen.dropFirst(mark).contains(leave))
        terminal.expectEcho()
        #expect(process("price-clock") == nil)
    }

    @Test(.fault(52), .enabled(if: isLinux, "needs /proc"))
    func `when the terminal is closed, the board and a stopped clock end`() throws {
        var terminal: Terminal? = showing(loop)
        terminal?.type(" ", expecting: "‖ stopped")
        terminal = nil
        #expect(marked.areGone(within: .seconds(5)))
    }

    @Test func `a bad line in the holdings file hides a bar's total and is reported without its text`() {
        let folder = TemporaryFolder()
        folder.write("holdings", "BTC-USD 0.5 40000\nsecret seven\neth-usd 2\n")
        let words = ["--demo", "--style", "bar", "-n", "1", "--holdings", "\(folder.path)/holdings"]
        let result = RunningProgram.run("btc-price", words)
        #expect(
            result.status == 0
                && result.output.contains(/^BTC-USD \$.*  ETH-USD \$.*  total - \(invalid line\)\n/),
            "\(result)")
        #expect(result.errors.contains("/holdings: line 2: expected a symbol, an amount"), "\(result)")
        #expect(!result.errors.contains("secret"))
    }
}
