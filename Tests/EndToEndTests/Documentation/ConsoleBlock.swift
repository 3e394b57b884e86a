import Foundation
import TestSupport
import Testing

/// A console block of a document: the commands after `$` and `>`, and their output.
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

    /// Whether the block needs jq, which is not installed on every machine.
    var needsJQ: Bool { commands.contains("jq -") }

    /// Whether the block needs a database. If so, `DatabaseTests` runs the block.
    var needsDatabase: Bool { Self.databases.contains { commands.contains($0) } }

    private static let databases = [
        "sqlite3 ", "initdb ", "duckdb ", "redis-server ", "victoria-metrics ", "prometheus-node-exporter ",
        "clickhouse-server ",
    ]

    /// The commands that create the file `recording`. If this block does not create the file, these are the
    /// commands of the last earlier block that does; nil if no earlier block creates the file either.
    private let recording: String?

    /// The commands of the block, preceded by the commands in `recording` unless the block contains them. The
    /// demo with `--json` runs at a shorter interval, which does not change its output.
    private var script: String {
        let before = commands.contains(recording ?? "") ? "" : recording ?? ""
        return before + commands.replacing("--demo --json", with: "--demo --interval 300ms --json")
    }

    private init(_ lines: [String], of document: Document, recording: String?) {
        let typed = lines.filter { $0.hasPrefix("$ ") || $0.hasPrefix("> ") }
        self.document = document
        commands = typed.map { $0.dropFirst(2) + "\n" }.joined()
        output = lines.filter { !typed.contains($0) }.map { $0 + "\n" }.joined()
        let made = commands.firstMatch(of: /cat > recording <<'END'\n(?s:.*?)\nEND\n/)
        self.recording = made.map { String($0.0) } ?? recording
    }

    /// Runs the block with the programs on the PATH, in a folder that contains `scripts`, as the README
    /// assumes. Expects the output that the document shows, and status 0.
    ///
    /// - Parameter wrapper: a command that runs the shell; if empty, the shell runs directly.
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

    /// Replaces times, which differ from run to run, and no-break spaces, which look like ordinary spaces.
    private static func timeless(_ text: String) -> String {
        text.replacing(/\d{4}-\d\d-\d\dT[\d:.]{12}Z/, with: "<at>")
            .replacing(/[A-Z][a-z]{2} \d{1,2}, \d\d:\d\d/, with: "<time>")
            .replacing("\u{A0}", with: " ")
    }
}
