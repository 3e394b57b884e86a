import Foundation

/// A folder for this test run, beside the built programs. Other runs in the same checkout have their own folders.
enum RunFolder {
    /// The folder where the programs were built. Symbolic links are resolved because a test may start a tool,
    /// such as `soak`, through a link in the folder of its run. If the link were not resolved, the tool would
    /// create and remove its own folder beside the link, in a folder from which other tests copy files.
    static let built = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        .deletingLastPathComponent()

    static let url: URL = {
        removeThoseOfEndedRuns()
        let folder = built.appending(path: "\(prefix)\(getpid())")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            fatalError("cannot make a folder for this test run: \(error)")
        }
        return folder
    }()

    /// The home folder of a program that a test starts, unless the test sets another `HOME`.
    static let home: URL = {
        let home = url.appending(path: "home")
        try! FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        return home
    }()

    private static let prefix = "test-run-"

    private static func removeThoseOfEndedRuns() {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: built.path)) ?? [] where name.hasPrefix(prefix) {
            // A folder named after this process's ID was left by an earlier process with the same ID.
            guard let run = pid_t(name.dropFirst(prefix.count)) else { continue }
            guard run == getpid() || kill(run, 0) != 0 && errno == ESRCH else { continue }
            // Another run may remove the folder at the same time.
            try? files.removeItem(at: built.appending(path: name))
        }
    }
}
