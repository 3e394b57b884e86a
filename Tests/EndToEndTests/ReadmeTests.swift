import Foundation
import TestSupport
import Testing

/// A console block of the README: what is typed behind `$` and `>`, and what is to be seen.
struct ConsoleBlock: CustomTestStringConvertible, Sendable {
    let commands: String
    let output: String
    var testDescription: String { String(commands.prefix { $0 != "\n" }) }

    static let all = fences(of: "console").reduce(into: []) { $0.append(ConsoleBlock($1, after: $0)) }

    /// Whether it needs jq, which is not on every machine.
    var needsJQ: Bool { commands.contains("jq -") }

    /// The recording that the block makes, or reads as it was made last.
    private let recording: String?

    /// All that is to be run: what is typed, with the recording that it only reads made before.
    var script: String { (commands.contains(recording ?? "") ? "" : recording ?? "") + commands }

    private init(_ lines: [String], after others: [ConsoleBlock]) {
        let typed = lines.filter { $0.hasPrefix("$ ") || $0.hasPrefix("> ") }
        commands = typed.map { $0.dropFirst(2) + "\n" }.joined()
        output = lines.filter { !typed.contains($0) }.map { $0 + "\n" }.joined()
        let made = commands.firstMatch(of: /cat > recording <<'END'\n(?s:.*?)\nEND\n/)
        recording = made.map { String($0.0) } ?? others.last?.recording
    }

    /// The lines of the README's fenced blocks in one language.
    static func fences(of language: String) -> [[String]] {
        let readme = try! String(contentsOf: Programs.project.appending(path: "README.md"), encoding: .utf8)
        return readme.components(separatedBy: "\n```\(language)\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0].components(separatedBy: "\n")
        }
    }
}

/// The first things that people try must print what the README shows.
@Suite struct ReadmeTests {
    /// A folder with the scripts where the README has them, and the programs on the PATH.
    private func run(_ commands: String) -> RunningProgram.Result {
        let folder = TemporaryFolder()
        try! FileManager.default.createSymbolicLink(
            atPath: "\(folder.path)/scripts", withDestinationPath: Programs.folder.path)
        return RunningProgram.shell("cd \(folder.path); exec 2>&1\n\(commands)")
    }

    /// Times differ from run to run, and a no-break space looks like any other.
    private func timeless(_ text: String) -> String {
        text.replacing(/\d{4}-\d\d-\d\dT[\d:.]{12}Z/, with: "<at>")
            .replacing(/[A-Z][a-z]{2} \d{1,2}, \d\d:\d\d/, with: "<time>")
            .replacing("\u{A0}", with: " ")
    }

    @Test func `the README has console blocks, the demo on its first screen`() {
        #expect(ConsoleBlock.all.count >= 5)
        #expect(ConsoleBlock.all.first?.commands == "scripts/btc-price --demo -n 14\n")
    }

    @Test(arguments: ConsoleBlock.all.filter { !$0.needsJQ })
    func `each console block prints what it shows`(block: ConsoleBlock) {
        expectOutput(of: block)
    }

    @Test(.enabled(if: Programs.has("jq"), "needs jq"), arguments: ConsoleBlock.all.filter(\.needsJQ))
    func `each console block with jq prints what it shows`(block: ConsoleBlock) {
        expectOutput(of: block)
    }

    private func expectOutput(of block: ConsoleBlock) {
        let result = run(block.script)
        #expect(timeless(result.output) == timeless(block.output))
        #expect(result.status == 0)
    }

    @Test func `what needs the network is at least good shell`() {
        for lines in ConsoleBlock.fences(of: "sh") {
            #expect(RunningProgram.run("bash", ["-n"], input: lines.joined(separator: "\n")).status == 0)
        }
    }

    @Test(.enabled(if: Programs.has("systemd-analyze"), "needs systemd-analyze"))
    func `systemd knows all that the unit says`() throws {
        let folder = TemporaryFolder()
        let unit = try #require(ConsoleBlock.fences(of: "ini").first)
        folder.write("btc-price.service", unit.joined(separator: "\n") + "\n")
        let result = RunningProgram.run(
            "systemd-analyze", ["--user", "verify", "\(folder.path)/btc-price.service"],
            environment: ["XDG_RUNTIME_DIR": folder.path, "HOME": folder.path])
        #expect(result.status == 0)
        #expect(!result.errors.contains("btc-price.service"))
    }
}
