import Foundation
import TestSupport
import Testing

/// A copy of `btc-price` and its stages in a temporary folder, where a test can replace the stages.
struct FrontDoor {
    let folder = TemporaryFolder()
    private let stored = TemporaryFolder(inMemory: true)
    private let marked = MarkedProcesses()

    init() {
        let programs = Programs.folder.path.shellQuoted
        let prepare = "mkdir \(folder.path)/bin \(folder.path)/home && cp -R \(programs)/. \(folder.path)/bin"
        #expect(RunningProgram.shell(prepare).errors == "")
    }

    /// Replaces a program with a shell script.
    func replace(_ program: String, by commands: String) throws {
        try FileManager.default.removeItem(atPath: "\(folder.path)/bin/\(program)")
        folder.addTool("bin/\(program)", commands)
    }

    /// Replaces price-format with a script that prints its arguments, one per line, and then discards its
    /// input.
    func showArgumentsOfFormat() throws {
        try replace("price-format", by: "printf '%s\\n' \"$@\"; exec cat >/dev/null")
    }

    var environment: [String: String] {
        let own = ["HOME": "\(folder.path)/home", "XDG_CACHE_HOME": stored.path, "TMPDIR": stored.path]
        return marked.environment.merging(own) { $1 }
    }

    /// The command lines of the processes that this copy started and that are still running.
    var commands: [String] { Array(marked.living.values) }

    func run(_ words: [String], environment: [String: String] = [:]) -> RunningProgram.Result {
        start(words, environment: environment).finish()
    }

    func start(_ words: [String], environment: [String: String] = [:]) -> RunningProgram {
        RunningProgram(
            "\(folder.path)/bin/btc-price", words, environment: self.environment.merging(environment) { $1 })
    }
}
