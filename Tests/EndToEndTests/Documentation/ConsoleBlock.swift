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

    /// Whether it needs a database, which has a test of its own.
    var needsDatabase: Bool { Self.databases.contains { commands.contains($0) } }

    private static let databases = ["sqlite3 ", "initdb ", "duckdb ", "redis-server "]

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

    /// Runs it in a folder with the scripts where the README has them, and the programs on the PATH, and expects it to print
    /// what it shows.
    ///
    /// - Parameter wrapper: a command that runs the shell.
    func expectOutput(runBy wrapper: [String] = []) {
        let folder = TemporaryFolder(inMemory: true)
        try! FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/scripts", withDestinationPath: Programs.folder.path)
        let words = wrapper + ["bash", "-c", "cd \(folder.path); exec 2>&1\n\(script)"]
        let result = RunningProgram.run(
            words[0], Array(words.dropFirst()), environment: ["XDG_CACHE_HOME": "\(folder.path)/own"])
        #expect(Self.timeless(result.output) == Self.timeless(output))
        #expect(result.status == 0)
    }

    /// Times differ from run to run, and a no-break space looks like any other.
    private static func timeless(_ text: String) -> String {
        text.replacing(/\d{4}-\d\d-\d\dT[\d:.]{12}Z/, with: "<at>")
            .replacing(/[A-Z][a-z]{2} \d{1,2}, \d\d:\d\d/, with: "<time>")
            .replacing("\u{A0}", with: " ")
    }
}
