import Foundation
import TestSupport
import Testing

/// A page whose examples the tests run: the README in Markdown, or a manual page in mdoc.
enum Document: String, CaseIterable, CustomTestStringConvertible, Sendable {
    case readme = "README.md"
    case records = "scripts/btc-price.5"
    case recipes = "scripts/btc-price-recipes.7"

    var testDescription: String { rawValue }
    var path: String { Programs.project.appending(path: rawValue).path }

    /// The lines of each block in the given language, in page order. In Markdown, the language follows the
    /// opening fence. In mdoc, a comment above the block names the language: `.\" console`.
    func blocks(in language: String) -> [[String]] {
        let text = try! String(contentsOfFile: path, encoding: .utf8)
        return self == .readme
            ? Self.blocks(of: text, from: "```\(language)", to: "```")
            : Self.blocks(of: text, from: #".\" \#(language)\#n.Bd -literal"#, to: ".Ed").map {
                $0.map(Self.withoutEscapes)
            }
    }

    private static func blocks(of text: String, from start: String, to end: String) -> [[String]] {
        text.components(separatedBy: "\n\(start)\n").dropFirst().map {
            $0.components(separatedBy: "\n\(end)\n")[0].components(separatedBy: "\n")
        }
    }

    /// An mdoc line as `man` displays it.
    private static func withoutEscapes(_ line: String) -> String {
        let escapes = [
            #"\-"#: "-", #"\(aq"#: "'", #"\(ga"#: "`", #"\(ha"#: "^", #"\(ti"#: "~",
            #"\(Eu"#: "€", #"\&"#: "", #"\e"#: #"\"#,
        ]
        return line.replacing(/\\(?:\(..|.)/) { escape in
            guard let text = escapes[String(escape.output)] else {
                Issue.record("unknown escape \(escape.output) in: \(line)")
                return ""
            }
            return text
        }
    }
}
