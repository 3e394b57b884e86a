import Foundation
import TestSupport
import TestTraits
import Testing

/// `Tests/README.md` agrees with the tests, and each suite has a time limit. The numbers in a test's
/// `.fault(…)` refer to rows of the table in the chapter "What it survives".
@Suite(.endToEnd) struct FaultTableTests {
    private let page: String
    /// The source text of each Swift file of the tests, by its path below `Tests`.
    private let sources: [String: String]

    init() throws {
        let tests = Programs.project.appending(path: "Tests")
        func text(_ path: String) throws -> String {
            try String(contentsOf: tests.appending(path: path), encoding: .utf8)
        }
        page = try text("README.md")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: tests.path)
        let ofTests = paths.filter { $0.wholeMatch(of: /\w+Tests\/.*\.swift/) != nil }
        sources = try Dictionary(uniqueKeysWithValues: ofTests.map { ($0, try text($0)) })
    }

    @Test func `the table of faults is sorted by number and contains exactly the faults that tests cite`()
        throws
    {
        let chapters = page.components(separatedBy: "\n## ")
        let table = try #require(chapters.first { $0.hasPrefix("What it survives") })
        let rows = table.matches(of: #/\n\| (\d+) \|/#).compactMap { Int($0.output.1) }
        let cited = sources.values.flatMap { $0.components(separatedBy: ".fault(").dropFirst() }
        let named = cited.flatMap { $0.prefix { $0 != ")" }.matches(of: /\d+/) }
        #expect(Set(named.compactMap { Int($0.output) }).sorted() == rows && rows.count >= 40)
    }

    @Test func `each suite and test target mentioned in Tests/README.md exists`() {
        let named = page.matches(of: /`(\w+Tests)`/).map(\.output.1)
        for name in named {
            let isThere = sources.contains { $0.hasPrefix("\(name)/") || $1.contains("struct \(name) {") }
            #expect(isThere, "\(name)")
        }
        #expect(named.count > 20)
    }

    @Test func `each suite has a time limit`() {
        for (path, source) in sources where source.contains("@Test") {
            let isUnitTest = !["EndToEndTests/", "ProgramTests/"].contains { path.hasPrefix($0) }
            let limits = isUnitTest ? ["unit"] : ["endToEnd", "long"]
            #expect(limits.contains { source.contains("\n@Suite(.\($0)") }, "\(path)")
        }
    }
}
