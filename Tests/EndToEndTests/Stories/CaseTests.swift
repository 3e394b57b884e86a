import Foundation
import TestSupport
import TestTraits
import Testing

/// Test cases stored as files in `Cases`: one folder for each program, and `every-filter` for all filters.
/// Times are in UTC, and each case begins with an empty store.
///
/// A case with one command: `name.in` is the input, and `name.args` contains the options, if any. `name.out`
/// contains the expected output, then any messages, then the exit status unless it is 0.
///
/// A session of several commands: in `name.session`, each line that starts with `$ ` contains a command. Below this
/// line are the command's output, any messages, and the exit status unless it is 0. All commands run in the same
/// folder, whose path appears as `FOLDER` in the output. If `name.in` exists, it is the input of each command.
@Suite(.endToEnd) struct CaseTests {
    struct Case: CustomTestStringConvertible {
        let program: String
        let name: String

        var testDescription: String { "\(program): \(name.replacing("-", with: " "))" }

        func contents(_ kind: String) -> String? {
            let file = CaseTests.cases.appending(path: "\(program)/\(name).\(kind)")
            return try? String(contentsOf: file, encoding: .utf8)
        }

        /// Runs a command and returns its output, its messages, and its status unless that is 0.
        func run(_ command: String, in folder: TemporaryFolder) -> String {
            let result = RunningProgram.shell(
                "cd \(folder.path) && \(command)", input: contents("in") ?? "",
                environment: ["XDG_CACHE_HOME": folder.path])
            let status = result.status == 0 ? "" : "status \(result.status)\n"
            return (result.output + result.errors + status).replacing(folder.path, with: "FOLDER")
        }
    }

    private static let cases = Programs.project.appending(path: "Tests/EndToEndTests/Cases")

    private static let files: [(story: Case, kind: String)] = {
        let names = try! FileManager.default.subpathsOfDirectory(atPath: cases.path).sorted()
        return names.compactMap { $0.wholeMatch(of: #/(.+)/([^.]+)\.(.+)/#)?.output }.map {
            (Case(program: String($0.1), name: String($0.2)), String($0.3))
        }
    }()

    private static func cases(with kind: String) -> [Case] { files.filter { $0.kind == kind }.map(\.story) }

    @Test(arguments: cases(with: "out")) func `a command's output and exit status match the case's .out file`(
        story: Case
    ) {
        let command = "\(story.program) \(story.contents("args")?.replacing("\n", with: "") ?? "")"
        #expect(story.run(command, in: TemporaryFolder(inMemory: true)) == story.contents("out"))
    }

    @Test(arguments: cases(with: "session"))
    func `a command's output and exit status match the text below it in the session`(story: Case) throws {
        let folder = TemporaryFolder(inMemory: true)
        let session = try #require(story.contents("session"))
        if !isLinux, session.contains("script -qec") { try skip("needs the script command of util-linux") }
        let printed = session.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map {
            "\($0)\n" + story.run(String($0.dropFirst(2)), in: folder)
        }
        #expect(printed.joined() == session)
    }

    @Test func `each file in Cases belongs to a case`() {
        let named = (Self.cases(with: "out") + Self.cases(with: "session")).map(\.testDescription)
        #expect(named.count >= 30 && Set(named).count == named.count)
        for (story, kind) in Self.files where !["out", "session"].contains(kind) {
            #expect(["in", "args"].contains(kind) && named.contains(story.testDescription))
        }
    }
}
