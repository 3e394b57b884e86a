import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// How the screen uses its terminal: keys, the title, job control and the restoration of the terminal.
@Suite(.endToEnd) struct TerminalTests {
    private let folder = TemporaryFolder()
    private let marked = MarkedProcesses()
    private let enter = "\u{1B}[?1049h", leave = "\u{1B}[?1049l"

    private func terminal(_ environment: [String: String] = [:]) -> Terminal {
        let own = ["SOURCE": ShellSource.quoting("68901.23"), "XDG_CACHE_HOME": folder.path]
        return Terminal(
            environment: marked.environment.merging(own) { $1 }.merging(environment) { $1 })
    }

    /// A pipeline that ends when `price-format` ends.
    private let screen = "while echo '\(quoteLine())'; do sleep 0.1; done | price-format --style screen"
    private let script = "btc-price --screen --interval 200ms --primary \"$SOURCE\" --fallback cat"

    /// Starts a terminal, types the command and waits until the command shows its screen.
    private func showing(_ command: String) -> Terminal {
        let terminal = terminal()
        terminal.type(command + "\r")
        #expect(terminal.waitFor(enter) && terminal.waitFor("14:03", after: 0))
        return terminal
    }

    private var viewer: Int32? { marked.living.first { $0.value.hasPrefix("price-format") }?.key }

    @Test func `typed characters are not echoed, and q ends price-format with status 0`() {
        let terminal = showing("\(screen); echo \"status: ${PIPESTATUS[1]}\"")
        let mark = terminal.mark
        terminal.type("xyz\r", expecting: "\u{1B}[?2026l")
        #expect(!terminal.screen.dropFirst(mark).contains("x"))
        // When
        terminal.type("q", expecting: "ready> ")
        // Then
        #expect(terminal.screen.contains(/\u{1B}\[\?1049l.*status: 0\n/.dotMatchesNewlines()))
        terminal.expectEcho()
    }

    @Test(.enabled(if: isLinux, "needs /proc"), arguments: [true, false])
    func `a source's messages are held back while the screen is shown and are printed afterwards`(
        isKilled: Bool
    ) throws {
        let reporting = #"{ read -r a; read -r b; printf '%s\n' "$a" "$b"; echo trouble >&2; cat; }"#
        let terminal = terminal(["SOURCE": "\(reporting) | { \(ShellSource.quoting("68901.23")); }"])
        terminal.type("\(script); echo \"status: $?\"\r", expecting: enter)
        for _ in 0..<2 { #expect(terminal.waitFor("\u{1B}[?2026l")) }
        #expect(!terminal.screen.contains("trouble"))
        // When
        if isKilled { kill(try #require(viewer), SIGKILL) } else { terminal.type("q") }
        // Then
        #expect(terminal.waitFor("status: \(isKilled ? 137 : 0)\n", after: 0))
        #expect(terminal.screen.contains(/\u{1B}\[\?1049l.*trouble.*status: \d+\n/.dotMatchesNewlines()))
        terminal.expectEcho()
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `readings that are typed at the terminal are not treated as keys`() {
        let terminal = terminal()
        terminal.type("price-format --style screen\r")
        #expect(terminal.waitUntil { viewer != nil })
        terminal.type("{\"error\":true,\"source\":\"q\"}\r", expecting: "No price yet")
        terminal.type("\u{4}", expecting: "ready> ")
    }

    @Test func `the title shows the symbol and the price, and q restores the former title`() {
        let terminal = showing(screen)
        let title = "\u{1B}]2;BTC-USD $68,901.23\u{7}"
        #expect(terminal.waitFor(title, after: 0))
        terminal.type("q", expecting: "\u{1B}[23;2t")
        let pieces = terminal.screen.components(separatedBy: title)
        #expect(pieces.count == 2 && pieces.first?.contains("\u{1B}[22;2t") == true)
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `Ctrl-Z restores the terminal before the shell reports the stopped job`() {
        let terminal = showing(script)
        for _ in 0..<3 {
            let mark = terminal.mark
            terminal.type("\u{1A}", expecting: "ready> ")
            let stop = terminal.screen.dropFirst(mark)
            #expect(stop.contains(/\u{1B}\[\?1049l.*Stopped.*ready> $/.dotMatchesNewlines()))
            terminal.expectEcho()
            terminal.type("fg\r", expecting: "14:03")
        }
        terminal.type("q", expecting: "ready> ")
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `Ctrl-Z does not stop a job that no shell could continue`() throws {
        let terminal = terminal(["SCREEN": screen])
        terminal.type("exec bash -c \"$SCREEN\"\r")
        #expect(terminal.waitFor(enter) && terminal.waitFor("14:03", after: 0))
        terminal.type("\u{1A}", expecting: enter)
        terminal.type("q")
        #expect(marked.areGone(within: .seconds(5)))
    }

    @Test(
        .enabled(if: isLinux, "needs /proc"),
        arguments: [
            SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGABRT, SIGSEGV, SIGILL, SIGTRAP, SIGXCPU,
            SIGALRM, SIGVTALRM, SIGIO, 34, 64,
        ])
    func `the terminal is restored if the screen is ended by any signal other than SIGKILL`(
        signal: Int32
    ) throws {
        let terminal = showing("ulimit -c 0; \(screen); echo \"status: ${PIPESTATUS[1]}\"")
        let mark = terminal.mark
        kill(try #require(viewer), signal)
        #expect(terminal.waitFor("status: \(128 + signal)\n", after: mark))
        let end = terminal.screen.dropFirst(mark)
        #expect(end.contains(leave) && !end.contains("crashed"))
        terminal.expectEcho()
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `when SIGKILL ends the screen, btc-price restores the terminal's previous modes`() throws {
        let modes = "\(folder.path)/modes"
        let terminal = showing(
            "stty iutf8 -brkint -imaxbel; stty -g > \(modes); \(script); stty -g | cmp - \(modes) && echo the sa''me modes"
        )
        let mark = terminal.mark
        kill(try #require(viewer), SIGKILL)
        #expect(terminal.waitFor("the same modes", after: mark))
        #expect(terminal.screen.dropFirst(mark).contains(leave))
    }

    @Test(
        .enabled(if: isLinux && Programs.has("dash"), "needs /proc and dash"),
        arguments: [SIGTERM, SIGHUP, SIGKILL])
    func `when a signal ends btc-price, the terminal's modes are restored without the shell's help`(
        signal: Int32
    ) throws {
        let terminal = terminal()
        terminal.type("dash -i\r", expecting: "ready> ")
        terminal.type("\(script)\r", expecting: "14:03")
        let mark = terminal.mark
        // When
        kill(try #require(marked.id(of: "btc-price --screen")), signal)
        // Then
        #expect(terminal.waitFor("ready> ", after: mark))
        #expect(terminal.waitUntil(within: .seconds(5)) { viewer == nil })
        terminal.expectEcho()
    }

    @Test func `while Ctrl-S pauses the terminal, frames are dropped and input is still read`() throws {
        let lines = "\(quoteLine("1.00"))\n\(quoteLine("2.00"))"
        let go = "\(folder.path)/go"
        #expect(mkfifo(go, 0o600) == 0)
        let terminal = showing(
            "{ echo '\(lines)'; read < \(go); yes '\(lines)' | head -50000; echo '\(quoteLine("3.00"))'; touch \(folder.path)/done; sleep 60; } | price-format --style screen"
        )
        // When
        terminal.type("\u{13}")
        try #require(FileHandle(forWritingAtPath: go)).write(contentsOf: Data("\n".utf8))
        #expect(terminal.waitUntil { FileManager.default.fileExists(atPath: "\(folder.path)/done") })
        // Then
        let mark = terminal.mark
        terminal.type("\u{11}", expecting: "BTC-USD $3.00")
        #expect(terminal.screen.dropFirst(mark).components(separatedBy: "\u{1B}[?2026h").count < 10)
        terminal.type("q", expecting: leave)
    }

    @Test(.fault(41), .enabled(if: isLinux, "needs /proc"), arguments: [true, false])
    func `SIGTERM ends the screen within 1 s even if the terminal accepts no output`(isHeld: Bool) throws {
        let lines = ["1.00", "2.00"].map { price in
            let tick = Tick(number: 12, at: .now())
            return Reading(answering: tick, anyQuote(price), from: "binance").text
        }
        let terminal = showing("yes '\(lines.joined(separator: "\n"))' | price-format --style screen")
        let mark = terminal.mark
        // Given a terminal that accepts no output, either because Ctrl-S was typed or because the buffer of
        // the terminal is full
        if isHeld { terminal.type("\u{13}") } else { #expect(terminal.fills(within: .seconds(20))) }
        // When
        let viewer = try #require(viewer)
        kill(viewer, SIGTERM)
        // Then
        let deadline = Deadline(in: .seconds(1))
        while marked.living[viewer] != nil, !deadline.hasPassed() { usleep(10_000) }
        #expect(marked.living[viewer] == nil)
        #expect(terminal.waitFor("ready> ", after: mark))
        if isHeld { #expect(terminal.screen.dropFirst(mark).contains(leave)) }
        terminal.expectEcho()
    }

    @Test(.enabled(if: Programs.has("strace"), "needs strace"))
    func `the terminal is restored even if writing to it fails for a moment`() {
        // Given a terminal on which the writes after the first frame fail for a moment, as if another process
        // were writing to it
        let (terminal, busy) = (terminal(), "strace -qq -o /dev/null -e inject=write:error=EAGAIN:when=2..4")
        terminal.type("echo '\(quoteLine())' | \(busy) price-format --style screen\r")
        #expect(terminal.waitFor(enter) && terminal.waitFor(leave, after: 0))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `the screen can be opened and closed on a terminal that is not the session's controlling terminal`()
        throws
    {
        let kiosk = terminal(["MARK": "kiosk"])
        kiosk.type("tty; exec sleep 1000\r")
        #expect(kiosk.waitFor("/dev/pts/", after: 0))
        kiosk.pump(for: .milliseconds(100))
        let name = try #require(kiosk.screen.firstMatch(of: /\/dev\/pts\/\d+/)?.output)
        let mark = kiosk.mark
        let running = RunningProgram(
            "bash", ["-c", "price-format --style screen > \(name)"], environment: marked.environment)
        // When
        running.write(quoteLine() + "\n")
        // Then
        #expect(kiosk.waitFor("14:03:07", after: mark))
        #expect(kiosk.screen.dropFirst(mark).contains(enter))
        let result = running.finish()
        #expect(result.status == 0 && result.errors == "")
        #expect(kiosk.waitFor(leave, after: mark))
    }
}
