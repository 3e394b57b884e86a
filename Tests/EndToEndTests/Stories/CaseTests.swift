import Foundation
import TestSupport
import TestTraits
import Testing

/// The stories of `price-cache` and `price-format` as files in `Cases`, one folder per program: `name.in` is the input,
/// `name.args` the options if there are any, and `name.out` the expected output, with the messages and the exit status at
/// its end unless they are none and 0. Times are in UTC, and the store is empty.
@Suite(.endToEnd) struct CaseTests {
    struct Case: CustomTestStringConvertible {
        let program: String
        let name: String

        var testDescription: String { "\(program): \(name.replacing("-", with: " "))" }

        func contents(_ kind: String) -> String? {
            let file = CaseTests.folder.appending(path: "\(program)/\(name).\(kind)")
            return try? String(contentsOf: file, encoding: .utf8)
        }
    }

    private static let folder = Programs.project.appending(path: "Tests/EndToEndTests/Cases")

    static let all = ["price-cache", "price-format"].flatMap { program in
        let files = try! FileManager.default.contentsOfDirectory(
            atPath: folder.appending(path: program).path)
        return files.sorted().filter { $0.hasSuffix(".in") }.map {
            Case(program: program, name: String($0.dropLast(3)))
        }
    }

    @Test(arguments: all) func `the output matches the file`(story: Case) throws {
        // Given
        let store = TemporaryFolder(inMemory: true)
        let options = (story.contents("args") ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
        // When
        let result = RunningProgram.run(
            story.program, options, input: try #require(story.contents("in")),
            environment: ["TZ": "UTC0", "XDG_CACHE_HOME": store.path])
        // Then
        let status = result.status == 0 ? "" : "status \(result.status)\n"
        #expect(result.output + result.errors + status == story.contents("out"))
    }

    @Test func `each file belongs to a case`() throws {
        for program in Set(Self.all.map(\.program)) {
            let names = Set(Self.all.filter { $0.program == program }.map(\.name))
            let folder = Self.folder.appending(path: program).path
            for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let parts = file.split(separator: ".").map(String.init)
                #expect(
                    parts.count == 2 && ["in", "args", "out"].contains(parts[1]) && names.contains(parts[0]))
            }
            #expect(names.count >= 8)
        }
    }
}
