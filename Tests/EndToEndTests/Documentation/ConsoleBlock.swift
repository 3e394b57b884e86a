import Foundation
import TestSupport
import Testing

/// A console block of a document: what is typed after `$` and `>`, and what it prints.
struct ConsoleBlock: CustomTestStringConvertible, Sendable {
    let document: Document
    let commands: String
    let output: String
    var testDescription: String { "\(document.rawValue): \(commands.prefix { $0 != "\n" })" }

    static let all = Document.allCases.flatMap { document in
        document.blocks(in: "console").reduce(into: []) { blocks, lines in
            blocks.append(ConsoleBlock(lines, of: document, recording: blocks.last?.recording))
        }
    }

    /// Whether it needs jq, which is not on every machine.
    var needsJQ: Bool { commands.contains("jq -") }

    /// The commands that make the file `recording`, in this block or in the last one that did.
    private let recording: String?

    /// What is typed, after the commands that make the recording if it reads an earlier one.
    var script: String { (commands.contains(recording ?? "") ? "" : recording ?? "") + commands }

    private init(_ lines: [String], of document: Document, recording: String?) {
        let typed = lines.filter { $0.hasPrefix("$ ") || $0.hasPrefix("> ") }
        self.document = document
        commands = typed.map { $0.dropFirst(2) + "\n" }.joined()
        output = lines.filter { !typed.contains($0) }.map { $0 + "\n" }.joined()
        let made = commands.firstMatch(of: /cat > recording <<'END'\n(?s:.*?)\nEND\n/)
        self.recording = made.map { String($0.0) } ?? recording
    }
}
