import Foundation
import TestSupport
import TestTraits
import Testing

/// The walks of `Sources/README.md`, and the page's rules for imports and unsafe code. A walk is a block with
/// one step per line: the name of a file, the name of a function or type in that file, and a description.
@Suite(.endToEnd) struct WalkTests {
    @Test func `the files, functions and types mentioned in the walks exist`() throws {
        let page = Programs.project.appending(path: "Sources/README.md")
        let steps = try String(contentsOf: page, encoding: .utf8).matches(of: /\n    (\S+)  +(\w+)  +\S/)
        #expect(steps.count > 20)
        for step in steps {
            let (file, name) = (String(step.1), String(step.2))
            let folder = file.hasPrefix("scripts/") ? "" : "Sources/"
            let path = Programs.project.appending(path: folder + file)
            let declaration =
                name == "init"
                ? "\\binit[?(<]"
                : "(func|struct|class|enum|protocol|extension) \(name)\\b|(?m:^\(name)\\(\\))"
            let text = try String(contentsOf: path, encoding: .utf8)
            #expect(text.contains(try Regex(declaration)), "\(file) \(name)")
        }
    }

    /// The paths, relative to `Sources`, of the Swift files that contain a match for the pattern.
    private func files(with pattern: some RegexComponent) throws -> [String] {
        let sources = Programs.project.appending(path: "Sources")
        return try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { path in
            guard path.hasSuffix(".swift") else { return false }
            let text = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
            return text.contains(pattern)
        }
    }

    @Test(arguments: [
        ("CCurl", "price-fetch/Curl/"), ("CICU", "price-format/Text/ICU.swift"),
        ("Glibc", "PipeCommon/System/"), ("Darwin", "PipeCommon/System/"), ("Foundation", "-"),
        ("Dispatch", "-"), ("price_\\w+", "-"),
    ])
    func `each import is in a place that Sources/README.md allows`(module: String, place: String) throws {
        let files = try files(with: Regex("(?m:^ *(@\\w+ )*(public )?import \(module)\\b)"))
        #expect(files.filter { !$0.hasPrefix(place) } == [] && files.isEmpty == (place == "-"))
    }

    @Test func `unsafe code occurs only where Sources/README.md allows it`() throws {
        let places = [
            "PipeCommon/System/", "PipeCommon/JSON/", "price-fetch/Curl/", "price-format/Text/ICU.swift",
            "price-format/Terminal/TerminalModes.swift",
        ]
        let files = try files(with: #/\bunsafe /#)
        #expect(files.filter { file in !places.contains { file.hasPrefix($0) } } == [])
    }
}
