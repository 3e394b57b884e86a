import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Every ending in every mode, on a terminal: all bytes that the user sees from then on, the status, the terminal's
/// modes, and the processes and files left a second later.
@Suite(.endToEnd, .enabled(if: isLinux, "needs /proc")) struct EndingFaultTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let marked = MarkedProcesses()

    struct Mode: CustomTestStringConvertible, Sendable {
        let options: String
        var isScreen = false
        var isDemo = false
        var testDescription: String { options.isEmpty ? "lines" : options }
    }

    private static let modes = [
        Mode(options: ""), Mode(options: "--style bar"), Mode(options: "--style table"),
        Mode(options: "--json"), Mode(options: "--history"), Mode(options: "--history --json"),
        Mode(options: "--screen", isScreen: true), Mode(options: "--board BTC-USD", isScreen: true),
        Mode(options: "--chart", isScreen: true),
        Mode(options: "--stocks --demo", isScreen: true, isDemo: true),
        Mode(options: "--demo --screen", isScreen: true, isDemo: true),
    ]

    /// How the pipeline is ended, what the shell then prints, and its status.
    enum Ending: CaseIterable {
        case key, interrupt, quit, terminate, hangUp, killScript, killView, stopStage

        var status: Int32 {
            switch self {
            case .key: 0
            case .interrupt: 130
            case .quit: 131
            case .terminate, .stopStage: 143
            case .hangUp: 129
            case .killScript, .killView: 137
            }
        }

        /// - Parameter isScreen: whether the view has the keyboard, so that the terminal does not echo keys.
        func report(onScreen isScreen: Bool) -> String {
            switch self {
            case .key: ""
            case .interrupt: isScreen ? "\n" : "^C\n"
            case .quit: isScreen ? "" : "^\\"
            case .terminate, .stopStage: "Terminated\n"
            case .hangUp: "Hangup\n"
            case .killScript: "Killed\n"
            case .killView: "btc-price: error: a stage was ended by signal 9\n"
            }
        }
    }

    /// What a screen writes when it is left.
    private static let leaving = "\u{1B}[?2026l\u{1B}[r\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l\u{1B}[23;2t"

    @Test(.fault(68), arguments: modes, [true, false])
    func `after an ending the user sees nothing else, and nothing is left`(mode: Mode, isAnswered: Bool)
        throws
    {
        let source = isAnswered ? ShellSource.quoting("68901.23") : ShellSource.silent
        let terminal = Terminal(environment: [
            "SOURCE": source, "XDG_CACHE_HOME": folder.path, "TMPDIR": folder.path,
        ])
        let marks = marked.environment.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        let sources = mode.isDemo ? "" : #"--primary "$SOURCE" --fallback "$SOURCE""#
        let pace = mode.options.hasPrefix("--history") ? "" : "--interval 1h"
        for ending in endings(of: mode, isAnswered) {
            terminal.type("stty -g >\(folder.path)/modes\r")
            #expect(terminal.waitFor("ready> "))
            let start = terminal.mark
            terminal.type("\(marks) btc-price \(mode.options) \(pace) \(sources)\r")
            #expect(terminal.waitUntil(within: .seconds(20)) { isRunning(mode) })
            if mode.isScreen { #expect(terminal.waitFor("q quit", after: start)) }
            terminal.pump(for: .milliseconds(50))
            // When
            let mark = afterFrames(terminal.screen)
            try end(terminal, ending)
            #expect(terminal.waitFor("ready> ", after: mark, within: .seconds(2)))
            // Then
            // The shell does not wait for the view when the script is killed.
            if mode.isScreen { #expect(terminal.waitFor(Self.leaving, after: mark, within: .seconds(2))) }
            let seen = try withoutFrames(String(terminal.screen.dropFirst(mark)))
            #expect(seen == expected(mode, ending), "\(ending)")
            #expect(marked.areGone(within: .seconds(1)), "\(ending): \(marked.living)")
            let after = terminal.mark
            terminal.type("echo status $?; stty -g | cmp - \(folder.path)/modes && echo same modes\r")
            #expect(terminal.waitFor("status \(ending.status)\nsame modes\n", after: after), "\(ending)")
            #expect(terminal.waitFor("ready> ", after: after))
            let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(Set(left).isSubset(of: ["modes", "btc-price"]), "\(ending)")
        }
    }

    /// Lines do not take keys, a table of candles ends by itself when it is answered, and the demo has its own
    /// source.
    private func endings(of mode: Mode, _ isAnswered: Bool) -> [Ending] {
        if mode.options.hasPrefix("--history"), isAnswered { return [] }
        if mode.isDemo, !isAnswered { return [] }
        if !isAnswered, !mode.options.hasPrefix("--history") { return [.interrupt, .terminate, .killScript] }
        return Ending.allCases.filter {
            switch $0 {
            case .key: mode.isScreen
            case .killView: !mode.options.hasPrefix("--history")
            default: true
            }
        }
    }

    private func isRunning(_ mode: Mode) -> Bool {
        let commands = marked.living.values
        return commands.contains { $0.hasPrefix("price-cache") }
            && commands.contains { $0.hasPrefix("price-format") || mode.options.contains("--json") }
            && commands.contains { mode.isDemo ? $0.contains("demo/source") : $0.hasPrefix("sh -c while") }
    }

    private func end(_ terminal: Terminal, _ ending: Ending) throws {
        func signal(_ name: String, _ number: Int32) throws {
            let process = try #require(marked.id { $0.contains(name) })
            kill(process, number)
        }
        switch ending {
        case .key: terminal.type("q")
        case .interrupt: terminal.type("\u{3}")
        case .quit: terminal.type("\u{1C}")
        case .terminate: try signal("btc-price ", SIGTERM)
        case .hangUp: try signal("btc-price ", SIGHUP)
        case .killScript: try signal("btc-price ", SIGKILL)
        case .killView:
            let view = marked.id { $0.hasPrefix("price-format") }
            kill(try #require(view ?? marked.id { $0.hasPrefix("price-cache") }), SIGKILL)
        case .stopStage:
            let stages = marked.living.filter {
                $0.value.hasPrefix("price-format") || $0.value.hasPrefix("price-cache")
            }
            kill(try #require(stages.keys.max()), SIGSTOP)
            try signal("btc-price ", SIGTERM)
        }
    }

    private func expected(_ mode: Mode, _ ending: Ending) -> String {
        (mode.isScreen ? Self.leaving : "") + ending.report(onScreen: mode.isScreen) + "ready> "
    }

    /// The place after the last whole frame: reading may have stopped within one.
    private func afterFrames(_ screen: String) -> Int {
        guard let last = screen.range(of: "\u{1B}[?2026h", options: .backwards),
            !screen[last.upperBound...].contains("\u{1B}[?2026l")
        else { return screen.count }
        return screen.distance(from: screen.startIndex, to: last.lowerBound)
    }

    /// What was printed besides the screen's frames. On a killed script, the shell reports its end without waiting for
    /// the view. The reports of silent sources that were held during full-screen display are printed afterwards. On a
    /// busy machine, the lines of the first tick may still arrive.
    private func withoutFrames(_ text: String) throws -> String {
        var text = text.replacing(try Regex(#"(?s)\e\[\?2026h.*?\e\[\?2026l(?!\e\[r)"#), with: "")
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
