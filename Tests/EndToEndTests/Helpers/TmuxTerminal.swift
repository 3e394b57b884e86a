import Foundation
import PipeCommon
import TestSupport

/// A tmux terminal, which shows the screen that a person would see. Each terminal has its own tmux server
/// with its own socket. If terminals shared a socket, a command for a new terminal could reach the previous
/// server while that server shuts down.
final class TmuxTerminal {
    private let folder = TemporaryFolder()

    init(_ columns: Int, _ rows: Int, running command: String) {
        tmux("new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", command)
    }

    deinit { tmux("kill-server") }

    func resize(_ columns: Int, _ rows: Int) {
        tmux("resize-window", "-x", "\(columns)", "-y", "\(rows)")
    }

    /// Types the arguments in order. Each argument is either text or the tmux name of a key, such as `Enter`.
    func type(_ keys: String...) {
        for key in keys { tmux("send-keys", key) }
    }

    /// Returns the text on the terminal as soon as it meets the condition, or after a minute at the latest.
    func text(when isWanted: (String) -> Bool) -> String {
        let deadline = Deadline(in: patience)
        while true {
            let text = self.text
            if isWanted(text) || deadline.hasPassed() { return text }
            usleep(50_000)
        }
    }

    private var text: String {
        let lines = tmux("capture-pane", "-p").lines.map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }
        return lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
    }

    @discardableResult private func tmux(_ words: String...) -> RunningProgram.Result {
        RunningProgram.run("tmux", ["-f", "/dev/null", "-S", "\(folder.path)/socket"] + words)
    }
}
