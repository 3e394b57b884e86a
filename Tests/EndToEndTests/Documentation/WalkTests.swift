import Foundation
import TestSupport
import TestTraits
import Testing

/// The walks of `Sources/README.md`: blocks whose lines have a file, a function or type in it, and a
/// description; and the rules of the page for imports and unsafe code.
@Suite(.endToEnd) struct WalkTests {
    private struct Step {
        let file: String
        let name: String

        var isTrue: Bool {
            let folder =
                file.hasPrefix("scripts/") ? Programs.project : Programs.project.appending(path: "Sources")
            guard let text = try? String(contentsOf: folder.appending(path: file), encoding: .utf8) else {
                return false
            }
            let isInit = name == "init" && text.contains(#/\binit[?(<]/#)
            let declaration = "(func|struct|class|enum|protocol|extension) \(name)\\b|(?m:^\(name)\\(\\))"
            return isInit || (try? text.contains(Regex(declaration))) == true
        }
    }

    private func walks() throws -> [[Step]] {
        let page = Programs.project.appending(path: "Sources/README.md")
        let chapters = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n## ")
        let chapter = try #require(chapters.first { $0.hasPrefix("Four walks") })
        return chapter.components(separatedBy: "\n### ").dropFirst().map { walk in
            walk.matches(of: #/\n    (\S+)  +(\w+)  +\S/#).map {
                Step(file: String($0.output.1), name: String($0.output.2))
            }
        }
    }

    @Test func `the files and functions of the walks exist`() throws {
        for step in try walks().joined() { #expect(step.isTrue, "\(step.file) \(step.name)") }
    }

    /// The paths below `Sources` of the files whose text matches.
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
    func `a module is imported only where the page allows it`(module: String, place: String) throws {
        let files = try files(with: Regex("(?m:^ *(@\\w+ )*(public )?import \(module)\\b)"))
        #expect(files.filter { !$0.hasPrefix(place) } == [] && (place == "-" || !files.isEmpty))
    }

    @Test func `unsafe code is written only where the page allows it`() throws {
        let places = [
            "PipeCommon/System/", "PipeCommon/JSON/", "price-fetch/Curl/", "price-format/Text/ICU.swift",
            "price-format/Terminal/TerminalModes.swift",
        ]
        let files = try files(with: #/\bunsafe /#)
        #expect(files.filter { file in !places.contains { file.hasPrefix($0) } } == [] && files.count > 5)
    }

    @Test func `each file that the page names exists`() throws {
        let page = Programs.project.appending(path: "Sources/README.md")
        let text = try String(contentsOf: page, encoding: .utf8)
        let files = text.matches(of: #/`(price-\w+/[\w/+]+\.swift|scripts/[\w/.-]+\w)`/#).map {
            String($0.output.1)
        }
        #expect(files.count > 20)
        for file in files {
            let path = file.hasPrefix("scripts/") ? file : "Sources/\(file)"
            #expect(
                FileManager.default.fileExists(atPath: Programs.project.appending(path: path).path), "\(file)"
            )
        }
    }
}
