import Foundation
import TestSupport
import Testing

/// One of the six commands that are installed, and the options in its `--help`.
struct Command: CustomTestStringConvertible, Sendable {
    struct Option: Sendable {
        let names: [String]
        let value: String?
    }

    let name: String
    let options: [Option]
    var testDescription: String { name }

    static let all = (Programs.filters + ["price-clock", "btc-price"]).map(Command.init)

    private init(_ name: String) {
        self.name = name
        options = RunningProgram.run(name, ["--help"]).lines.compactMap { line in
            line.prefixMatch(of: #/  (?<names>-[^ ,]+(?:, -[^ ]+)?)(?: (?<value>[^ ]+))?  /#).map {
                Option(names: $0.names.components(separatedBy: ", "), value: $0.value.map(String.init))
            }
        }
    }

    var names: [String] { options.flatMap(\.names) }

    /// The path of the manual page, which is in the folder of the command's source code.
    var page: String {
        let folder = Programs.filters.contains(name) ? "Sources/\(name)" : "scripts"
        return Programs.project.appending(path: "\(folder)/\(name).1").path
    }
}
