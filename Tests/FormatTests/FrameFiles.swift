import Foundation
import Testing

/// The text of a file in the folder `Charts` or `Frames`, without the newline at its end. The name includes the folder
/// but not the extension, as in `Frames/table`.
func contents(ofFile name: String) throws -> String {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    // A file ends with a newline, but a frame does not.
    return try String(String(contentsOf: folder.appending(path: "\(name).txt"), encoding: .utf8).dropLast())
}

/// Expects that a text, such as a whole frame, is equal to the contents of a file.
func expect(_ text: String, inFile name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try text == contents(ofFile: name), sourceLocation: sourceLocation)
}

/// The examples in a file. Each section of the file begins with `== ` and a title. Each example in a section begins
/// with `> ` and its steps, followed by the expected lines.
func examples(inFile name: String) throws -> [(title: String, steps: String, shown: [String])] {
    try contents(ofFile: name).dropFirst(3).components(separatedBy: "\n\n== ").flatMap { section in
        let parts = section.components(separatedBy: "\n> ")
        return parts.dropFirst().map { part in
            let lines = part.components(separatedBy: "\n")
            return (parts[0], lines[0], Array(lines.dropFirst()))
        }
    }
}

/// The forms of a text, smallest first: each size at which the words or marks in the text change, and the text at that
/// size.
func forms(of sizes: ClosedRange<Int>, _ text: (Int) -> String) -> String {
    var (forms, words): ([String], [Substring]) = ([], [])
    for size in sizes {
        let text = text(size)
        let new = text.split(separator: /\s/).filter { word in
            word.contains { $0.isLetter || $0.isNumber || "!?…▲▼●◐".contains($0) }
        }
        if new != words { forms.append("== \(size)\n\(text)") }
        words = new
    }
    return forms.joined(separator: "\n\n")
}
