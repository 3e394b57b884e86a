import Foundation
import TestSupport
import TestTraits
import Testing

/// In each of `modes`, the test starts the pipeline on a terminal and ends it with a key or a signal. It
/// checks the text that is printed from then on and the exit status. It also expects that the terminal's
/// settings are restored, that all processes end within three seconds and that no temporary file is left.
@Suite(.endToEnd, .enabled(if: isLinux, "needs /proc")) struct EndingFaultTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let marked = MarkedProcesses()

    private static let modes = [
        "", "--style bar", "--style table", "--json", "--history", "--history --json", "--screen",
        "--board BTC-USD", "--chart", "--stocks --demo", "--demo --screen",
    ]

    private func isScreen(_ mode: String) -> Bool {
        ["--screen", "--board", "--chart", "--stocks"].contains { mode.contains($0) }
    }

    /// A way to end the pipeline.
    enum Ending: CaseIterable {
        case key, interrupt, quit, terminate, hangUp, killScript, killView, interruptView, stopStage
    }

    /// For each ending, the exit status and the text that is printed afterwards: in a mode that prints lines,
    /// and in a mode that shows a screen. While a screen is shown, the terminal does not echo keys.
    private static let reports: [Ending: (status: Int32, afterLines: String, afterScreen: String)] = [
        .key: (0, "", ""), .interrupt: (130, "^C\n", "\n"), .quit: (131, "^\\", ""),
        .terminate: (143, "Terminated\n", "Terminated\n"), .hangUp: (129, "Hangup\n", "Hangup\n"),
        .killScript: (137, "Killed\n", "Killed\n"), .killView: (137, killed, killed),
        .interruptView: (130, "\n", "\n"), .stopStage: (143, "Terminated\n", "Terminated\n"),
    ]
    private static let killed = "btc-price: error: a stage was ended by signal 9\n"

    /// The escape sequences that the view writes when it leaves full-screen mode.
    private static let leaving = "\u{1B}[?2026l\u{1B}[r\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l\u{1B}[23;2t"

    @Test(.fault(68), arguments: modes, [true, false])
    func `a pipeline that ends leaves no process, temporary file or unexpected text behind`(
        mode: String, isAnswered: Bool
    ) throws {
        let source = isAnswered ? ShellSource.quoting("68901.23") : ShellSource.silent
        let terminal = Terminal(environment: [
            "SOURCE": source, "XDG_CACHE_HOME": folder.path, "TMPDIR": folder.path,
        ])
        let marks = marked.environment.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let sources = mode.contains("--demo") ? "" : #"--primary "$SOURCE" --fallback "$SOURCE""#
        let pace = mode.hasPrefix("--history") ? "" : "--interval 1h"
        for ending in endings(of: mode, isAnswered) {
            terminal.type("stty -g >\(folder.path)/modes\r")
            #expect(terminal.waitFor("ready> "))
            let start = terminal.mark
            terminal.type("\(marks) btc-price \(mode) \(pace) \(sources)\r")
            #expect(terminal.waitUntil { isRunning(mode) })
            if isScreen(mode) { #expect(terminal.waitFor("q quit", after: start)) }
            terminal.pump(for: .milliseconds(50))
            // When the pipeline is ended
            let mark = afterFrames(terminal.screen)
            try end(terminal, ending)
            #expect(terminal.waitFor("ready> ", after: mark, within: .seconds(5)))
            // Then only the expected text follows, and no process or temporary file is left. If the script is killed,
            // the shell prints its prompt without waiting for the view.
            if isScreen(mode) { #expect(terminal.waitFor(Self.leaving, after: mark, within: .seconds(5))) }
            let seen = try withoutFrames(String(terminal.screen.dropFirst(mark)))
            let report = try #require(Self.reports[ending])
            let expected = isScreen(mode) ? Self.leaving + report.afterScreen : report.afterLines
            #expect(seen == expected + "ready> ", "\(ending)")
            #expect(marked.areGone(within: .seconds(3)), "\(ending): \(marked.living)")
            let after = terminal.mark
            terminal.type("echo status $?; stty -g | cmp - \(folder.path)/modes && echo same modes\r")
            #expect(terminal.waitFor("status \(report.status)\nsame modes\n", after: after), "\(ending)")
            #expect(terminal.waitFor("ready> ", after: after))
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(Set(left).isSubset(of: ["modes", "btc-price"]), "\(ending)")
        }
    }

    /// The endings to test in a mode. There are none for `--history` if the source answers, because the
    /// pipeline then ends by itself. There are none for `--demo` with a silent source, because the demo
    /// always uses its own source, which answers. To save time, only three endings are tested if the source
    /// is silent (except for `--history`). In a short run, each mode that resembles another mode is also tested
    /// with only these three endings. The `q` key and an interrupted view are tested only in modes with a
    /// screen. With `--history`, the view is not killed.
    private func endings(of mode: String, _ isAnswered: Bool) -> [Ending] {
        if mode.hasPrefix("--history"), isAnswered { return [] }
        if mode.contains("--demo"), !isAnswered { return [] }
        let isOne = ["", "--json", "--history", "--screen", "--stocks --demo"].contains(mode)
        if !isAnswered && !mode.hasPrefix("--history") || !isOne && !FullSize.isWanted {
            return [.interrupt, .terminate, .killScript]
        }
        return Ending.allCases.filter {
            switch $0 {
            case .key, .interruptView: isScreen(mode)
            case .killView: !mode.hasPrefix("--history")
            default: true
            }
        }
    }

    private func isRunning(_ mode: String) -> Bool {
        let commands = marked.living.values
        return commands.contains { $0.hasPrefix("price-cache") }
            && commands.contains { $0.hasPrefix("price-format") || mode.contains("--json") }
            && commands.contains { $0.hasPrefix("sh -c while") || $0.contains("demo/source") }
    }

    private func end(_ terminal: Terminal, _ ending: Ending) throws {
        func signal(_ name: String, _ number: Int32) throws {
            kill(try #require(marked.id { $0.contains(name) }), number)
        }
        switch ending {
        case .key: terminal.type("q")
        case .interrupt: terminal.type("\u{3}")
        case .quit: terminal.type("\u{1C}")
        case .terminate: try signal("btc-price ", SIGTERM)
        case .hangUp: try signal("btc-price ", SIGHUP)
        case .killScript: try signal("btc-price ", SIGKILL)
        case .killView, .interruptView:
            let view = marked.id { $0.hasPrefix("price-format") } ?? marked.id { $0.hasPrefix("price-cache") }
            kill(try #require(view), ending == .killView ? SIGKILL : SIGINT)
        case .stopStage:
            let stages = marked.living.filter {
                $0.value.hasPrefix("price-format") || $0.value.hasPrefix("price-cache")
            }
            kill(try #require(stages.keys.max()), SIGSTOP)
            try signal("btc-price ", SIGTERM)
        }
    }

    /// The position from which to check the output: the beginning of the last frame if this frame is not
    /// complete yet, or else the end of the output.
    private func afterFrames(_ screen: String) -> Int {
        guard let last = screen.range(of: "\u{1B}[?2026h", options: .backwards),
            !screen[last.upperBound...].contains("\u{1B}[?2026l")
        else { return screen.count }
        return screen.distance(from: screen.startIndex, to: last.lowerBound)
    }

    /// The printed text without frames, without the shell's escape sequences, and without lines that are not
    /// printed in every run: warnings about silent sources, which are held back while a screen is shown, and
    /// the lines of the first tick, which may be late on a busy machine. If the script is killed, the shell
    /// may print `Killed` before the view restores the terminal. In the result, `Killed` always comes after
    /// the sequences that restore the terminal.
    private func withoutFrames(_ text: String) throws -> String {
        // If the view ends while writing a frame, that frame is cut off, and the sequences that restore the
        // terminal follow immediately.
        let frame = #"(?s)\e\[\?2026h.*?(\e\[\?2026l(?!\e\[r)|(?=\e\[\?2026l\e\[r))"#
        var text = text.replacing(try Regex(frame), with: "")
            .replacing(try Regex(#"\e\[\?2004[hl]\r?"#), with: "")
            .replacing(try Regex(#"price-fallback: warning: source \d: no answer within \d+ ms\n"#), with: "")
            .replacing(try Regex(#"(\e\[33m)?No price yet: [^\n]*\n"#), with: "")
            .replacing(try Regex(#" +BTC-USD\n|\{"tick":0,[^\n]*\}\n"#), with: "")
            .replacing(
                try Regex(#"(\w+ \d+, \d\d:\d\d +)?(- )?(\$68,901\.23|-( \(no price\))?)\n"#), with: "")
        if let place = text.range(of: Self.leaving), text.hasPrefix("Killed\n") {
            text.removeSubrange(place)
            text = Self.leaving + text
        }
        return text
    }
}
