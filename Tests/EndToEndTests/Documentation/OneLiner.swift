import Foundation
import TestSupport
import Testing

/// A row of the README's table of features that users of other programs requested: the feature, and the
/// command that provides it here.
struct OneLiner: CustomTestStringConvertible, Sendable {
    let wish: String
    let command: String
    var testDescription: String { command }

    static let all: [OneLiner] = {
        let text = try! String(contentsOfFile: Document.readme.path, encoding: .utf8)
        let rows = text.components(separatedBy: "| asked for | in | here |\n")[1]
        return rows.components(separatedBy: "\n\n")[0].matches(of: /\| ([^|`]+) \| [^|`]+ \| `(.+)` \|/).map {
            OneLiner(wish: String($0.output.1), command: String($0.output.2).replacing("\\|", with: "|"))
        }
    }()

    /// For each feature, parts of the command's output in the order in which they appear. Only the first
    /// digits of the demo's prices are compared: on a busy machine, the demo's source may start too late to
    /// answer the first ticks, so the first displayed price is not always the same.
    private static let printed: [String: [String]] = [
        "prices that can be piped": [" - $61,1", " - $61,1"],
        "a refresh every few seconds": [" - $61,1"],
        "a refresh in place": ["made up", "BTC-USD", "q quit"],
        "rows for a spreadsheet": ["\"611", "\",\"USD\",\"20", "\"611"],
        "sats per dollar": ["1634.", "1634."],
        "euros instead of dollars": ["BTC-EUR €56,5"],
        "switching lists": ["ETH-USD $3,3", "SOL-USD $125"],
        "total and gain of holdings": ["$61,1", "  total $61,1", " (+$21,1"],
        "bitcoin in a status bar": ["$61,1"],
        "a chart of another period": ["high $", "low $"],
        "a choice of exchanges": ["binance", "kraken", "echo"],
    ]

    /// Types the command in a terminal, as a person would, and expects the parts in `printed`. Then types q
    /// and Ctrl-C, one of which ends the command if it is still running.
    func expectOutput() {
        let folder = TemporaryFolder(inMemory: true)
        let terminal = Terminal(environment: ["XDG_CACHE_HOME": folder.path])
        terminal.type("cd \(folder.path)\r")
        #expect(terminal.waitFor("ready> "))
        let mark = terminal.mark
        terminal.type("\(command)\r")
        let isPrinted = terminal.waitUntil {
            Self.has(terminal.screen.dropFirst(mark), Self.printed[wish] ?? ["a known feature"])
        }
        #expect(isPrinted, "\(terminal.screen)")
        terminal.type("q\u{3}")
        #expect(terminal.waitFor("ready> ", after: mark))
    }

    /// Whether the text contains all parts in the given order.
    private static func has(_ text: Substring, _ parts: [String]) -> Bool {
        var rest = text
        return parts.allSatisfy { part in
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
            return true
        }
    }
}
