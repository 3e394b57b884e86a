import Foundation
import TestSupport
import TestTraits
import Testing

/// The walks of `Sources/README.md`: blocks whose lines have a file, a function or type in it, and a
/// description.
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
