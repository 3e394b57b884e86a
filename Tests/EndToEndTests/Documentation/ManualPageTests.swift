import Foundation
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// The manual pages list the same options as `--help` and are rendered without a warning.
@Suite(.endToEnd) struct ManualPageTests {
    private func lines(of command: Command) throws -> [String] {
        try String(contentsOfFile: command.page, encoding: .utf8).components(separatedBy: "\n")
    }

    @Test(arguments: Command.all)
    func `a manual page lists exactly the options in --help, in the same order`(command: Command) throws {
        let lines = try lines(of: command)
        let expected = command.options.map { option in
            let names = option.names.map { "Fl \($0.dropFirst())" }.joined(separator: " , ")
            return ".It \(names)\(option.value.map { " Ar \($0)" } ?? "")"
        }
        #expect(lines.filter { $0.hasPrefix(".It Fl ") } == expected && expected.count >= 4)
        let mentioned = lines.flatMap { line in line.matches(of: #/\bFl (\S+)/#).map { "-\($0.output.1)" } }
        #expect(Set(mentioned) == Set(command.names))
    }

    @Test(arguments: Command.all.filter { Programs.filters.contains($0.name) })
    func `the OPTIONS section of a filter's page is the output of --help=mdoc`(command: Command) throws {
        let page = try String(contentsOfFile: command.page, encoding: .utf8)
        let printed = RunningProgram.run(command.name, ["--help=mdoc"])
        #expect(printed.status == 0 && printed.output.hasPrefix(".Sh OPTIONS\n"))
        #expect(page.contains("\n\(printed.output).Sh "))
    }

    @Test(arguments: Command.all)
    func `a page and --help describe the command with the same sentence`(command: Command) throws {
        let sentence = try #require(lines(of: command).first { $0.hasPrefix(".Nd ") }).dropFirst(4)
        let help = RunningProgram.run(command.name, ["--help"]).output.components(separatedBy: "\n\n")[0]
        #expect(help.replacing("\n", with: " ") == "\(command.name): \(sentence)")
    }

    @Test func `price-fetch(1) lists each source with its market names and limits`() throws {
        let page = try lines(of: #require(Command.all.first { $0.name == "price-fetch" }))
        let rows = page.filter { $0.hasPrefix(".It Cm ") }
        let bitcoin = try TradingPair(.bitcoin)
        let expected = zip(PriceSource.all, Origin.list).map { source, line in
            let cells = [
                source.name, source.market?(bitcoin).replacing("-", with: "\\-") ?? "\\-",
                String(line.dropFirst(source.name.count + 1)), source.candles.map { "\($0.most)" } ?? "\\-",
            ]
            return ".It Cm " + cells.joined(separator: " Ta ")
        }
        #expect(rows == expected)
        let all = PriceSource.all.filter { $0.shared?.most == .max }
        let text = page.joined(separator: " ").lowercased()
        #expect(!all.isEmpty && all.allSatisfy { text.contains("\($0.name) for \($0.shared!.fewest) ") })
    }

    private static let pages = Command.all.map(\.page) + [Document.records, .recipes].map(\.path)

    private func shown(_ page: String) -> RunningProgram.Result {
        RunningProgram.run("man", ["--warnings", "-E", "UTF-8", "-l", page])
    }

    @Test(.enabled(if: isLinux && Programs.has("man"), "needs man-db"), arguments: pages)
    func `man renders a page without a warning`(page: String) {
        let shown = shown(page)
        #expect(shown.status == 0 && shown.errors == "" && shown.output.contains("SEE ALSO"))
        #expect(!shown.output.contains("BSD"), "a line after .Dd must replace groff's default name")
    }

    @Test(
        .enabled(if: isLinux && Programs.has("man"), "needs man-db"),
        arguments: [Document.records, .recipes])
    func `each line of an example appears unchanged on the rendered page`(document: Document) {
        let shown = Set(shown(document.path).lines.map { $0.trimmingCharacters(in: .whitespaces) })
        for line in ["console", "sh", "json", "ini"].flatMap(document.blocks).joined() {
            #expect(shown.contains(line.trimmingCharacters(in: .whitespaces)))
        }
    }

    @Test(.enabled(if: Programs.has("mandoc"), "needs mandoc"), arguments: pages)
    func `mandoc finds no error or warning in a page`(page: String) {
        let lint = RunningProgram.run("mandoc", ["-Tlint", "-W", "warning", page])
        #expect(lint.status == 0 && lint.output == "" && lint.errors == "")
    }
}
