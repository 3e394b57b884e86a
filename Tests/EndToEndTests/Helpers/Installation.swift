import Foundation
import TestSupport

/// A temporary prefix, into which `scripts/install` installs the programs that were built with the tests.
struct Installation {
    private let folder = TemporaryFolder()

    /// An installation that no test changes.
    static let shared: Installation = {
        let shared = Installation()
        _ = shared.install()
        return shared
    }()

    /// The path of a folder that does not exist before the installation. The path contains a space.
    var prefix: String { "\(folder.path)/a prefix" }

    static let script = Programs.project.appending(path: "scripts/install").path
    static let environment = ["BTC_PRICE_PROGRAMS": Programs.folder.path]

    func install(_ words: String..., environment: [String: String] = [:]) -> RunningProgram.Result {
        RunningProgram.run(
            Self.script, ["--prefix", prefix] + words,
            environment: Self.environment.merging(environment) { $1 })
    }

    /// The mode and path of everything in a folder, such as `755 bin/price-fetch`.
    ///
    /// - Parameter folder: the path of the folder; nil for the prefix.
    func contents(of folder: String? = nil) throws -> [String] {
        let folder = folder ?? prefix
        return try FileManager.default.subpathsOfDirectory(atPath: folder).sorted().map { path in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
            return "\(String(attributes[.posixPermissions] as? Int ?? 0, radix: 8)) \(path)"
        }
    }

    func make(_ folder: String) throws {
        try FileManager.default.createDirectory(
            atPath: "\(prefix)/\(folder)", withIntermediateDirectories: true)
    }

    func write(_ text: String, to file: String) throws {
        try text.write(toFile: "\(prefix)/\(file)", atomically: false, encoding: .utf8)
    }
}
