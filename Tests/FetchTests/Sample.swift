import Foundation
import TestSupport
import Testing

@testable import price_fetch

/// A line of a file in `Samples`: the name of an exchange, columns such as the expected result, and the text
/// that the exchange sends or expects.
struct Sample: CustomTestStringConvertible, Sendable {
    let source: PriceSource
    let columns: [String]
    let text: String
    var testDescription: String { ([source.name] + columns + [text]).joined(separator: " | ") }

    /// - Parameter columns: how many columns there are between the name and the text.
    static func lines(_ file: String, columns: Int = 1) -> [Sample] {
        let path = Programs.project.appending(path: "Tests/FetchTests/Samples/\(file)")
        let lines = try! String(contentsOf: path, encoding: .utf8).split(separator: "\n")
        return lines.filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: " | ", maxSplits: columns + 1).map(String.init)
            let source = PriceSource.all.first { $0.name == parts[0] }!
            return Sample(source: source, columns: Array(parts[1..<columns + 1]), text: parts[columns + 1])
        }
    }
}
