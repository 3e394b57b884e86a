import Foundation
import TestSupport
import TestTraits
import Testing

/// The README and the other pages are correct: linked and mentioned files exist, and the examples print the
/// output shown.
@Suite(.endToEnd) struct ReadmeTests {
    private let readme = try! String(contentsOfFile: Document.readme.path, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false
    ).dropLast()

    @Test func `the README is short, and its first screen shows the demo`() throws {
        #expect(readme.count <= 150 && readme.filter { $0.count > 110 } == [])
        let demo = try #require(ConsoleBlock.all.first)
        #expect(demo.document == .readme && demo.commands.hasPrefix("scripts/btc-price --demo"))
        #expect(try #require(readme.firstIndex { $0.hasPrefix("$ scripts/btc-price --demo -n") }) < 40)
        // And each row of the table of requested features has a command that a test runs
        let table = readme.drop { $0 != "| asked for | in | here |" }.prefix { $0 != "" }
        #expect(OneLiner.all.count == table.count - 2 && OneLiner.all.count >= 10)
    }

    @Test(arguments: ["README.md", "Sources/README.md", "Tests/README.md", ".github/CONTRIBUTING.md"])
    func `each link between pages leads to an existing file and heading`(page: String) throws {
        let page = Programs.project.appending(path: page)
        let text = try String(contentsOf: page, encoding: .utf8)
        let links = text.matches(of: /\]\(([^):]+)\)/).map { String($0.output.1) }
        #expect(!links.isEmpty)
        // On GitHub, `../../releases` leads from the repository's page to its releases.
        for link in links where link != "../../releases" {
            let parts = link.split(separator: "#")
            let file = page.deletingLastPathComponent().appending(path: parts[0]).standardizedFileURL.path
            #expect(FileManager.default.fileExists(atPath: file), "\(link)")
            guard parts.count == 2 else { continue }
            let heading = "\n## \(parts[1].replacing("-", with: " "))\n"
            let target = try String(contentsOfFile: file, encoding: .utf8).lowercased()
            #expect(target.contains(heading), "\(link)")
        }
    }

    @Test(arguments: [".github/CONTRIBUTING.md", "Sources/README.md"])
    func `each file mentioned on a page exists`(page: String) throws {
        let text = try String(contentsOf: Programs.project.appending(path: page), encoding: .utf8)
        let named = text.matches(of: /`([\w\/.+-]+\.(swift|[157])|scripts\/[\w\/.-]+\w)`/).map { "/\($0.1)" }
        let files = try ["Sources", "Tests", "scripts"].flatMap { folder in
            let path = Programs.project.appending(path: folder).path
            return try FileManager.default.subpathsOfDirectory(atPath: path).map { "/\(folder)/\($0)" }
        }
        #expect(named.count > 5)
        for name in named { #expect(files.contains { $0.hasSuffix(name) }, "\(name)") }
    }

    @Test(arguments: ConsoleBlock.all.filter { !$0.needsDatabase })
    func `each console block's commands print the output that the block shows`(block: ConsoleBlock) throws {
        if block.needsJQ, !Programs.has("jq") { try skip("needs jq") }
        block.expectOutput()
    }

    @Test(
        .enabled(if: Programs.has("jq"), "needs jq"),
        arguments: OneLiner.all)
    func `each command in the table of requested features prints the expected output`(line: OneLiner) {
        line.expectOutput()
    }

    @Test(arguments: Document.allCases)
    func `each document contains console blocks, and its sh blocks are valid shell code`(document: Document) {
        #expect(ConsoleBlock.all.contains { $0.document == document })
        for lines in document.blocks(in: "sh") {
            #expect(RunningProgram.run("bash", ["-n"], input: lines.joined(separator: "\n")).status == 0)
        }
    }

    @Test func `the programs accept each record in btc-price(5)`() {
        let records = Document.records.blocks(in: "json").flatMap { $0 }
        #expect(records.count >= 3)
        for record in records {
            let isReading = record.contains("quote")
            let reader = isReading ? "price-format" : "price-fallback --budget 10ms 'cat >/dev/null'"
            let result = RunningProgram.shell(reader, input: record + "\n")
            #expect(result.status == 0 && result.lines.count == 1)
        }
    }
}
