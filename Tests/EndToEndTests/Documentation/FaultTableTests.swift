import Foundation
import TestSupport
import TestTraits
import Testing

/// The survival table of `Tests/README.md` agrees with the tests, which refer to its rows by `.fault(…)`.
@Suite(.endToEnd) struct FaultTableTests {
    private static let tests = Programs.project.appending(path: "Tests")

    private func page() throws -> String {
        try String(contentsOf: Self.tests.appending(path: "README.md"), encoding: .utf8)
    }

    /// The numbers at the beginning of the table's rows.
    private func rows() throws -> [Int] {
        let chapters = try page().components(separatedBy: "\n## ")
        let table = try #require(chapters.first { $0.hasPrefix("What it survives") })
        return table.matches(of: #/\n\| (\d+) \|/#).compactMap { Int($0.output.1) }
    }

    /// The source text of all tests, by path.
    private func sources() throws -> [String: String] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.tests.path)
        let tests = paths.filter { $0.wholeMatch(of: /\w+Tests\/.*\.swift/) != nil }
        return try Dictionary(
            uniqueKeysWithValues: tests.map {
                ($0, try String(contentsOf: Self.tests.appending(path: $0), encoding: .utf8))
            })
    }

    @Test func `the rows of the table are numbered in order`() throws {
        let rows = try rows()
        #expect(rows == Set(rows).sorted() && rows.count >= 40)
    }

    @Test func `every row of the table is tested, and no test refers to a missing row`() throws {
        let named = try sources().values.flatMap { source in
            source.matches(of: /\.fault\(([\d, ]+)\)/).flatMap { $0.output.1.matches(of: /\d+/) }
        }
        #expect(try Set(named.compactMap { Int($0.output) }) == Set(rows()))
    }

    @Test func `no name of a test contains a row number`() throws {
        for (path, source) in try sources() {
            #expect(source.firstMatch(of: #/func\s+`\d+[^`]*:/#) == nil, "\(path)")
        }
    }

    @Test func `every suite mentioned on the page exists`() throws {
        let named = try page().matches(of: /`(\w+Tests)`/).map(\.output.1)
        let sources = try sources()
        for name in named {
            let isThere = sources.contains { $0.hasPrefix("\(name)/") || $1.contains("struct \(name) {") }
            #expect(isThere, "\(name)")
        }
        #expect(named.count > 20)
    }

    @Test func `every suite has a time limit`() throws {
        for (path, source) in try sources() where source.contains("@Test") {
            let room = path.hasPrefix("EndToEndTests/") ? "endToEnd" : "unit"
            #expect(source.contains("\n@Suite(.\(room)"), "\(path)")
        }
    }
}
