import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The folder of this test run, beside the built programs. Other runs in the same checkout have their own.
enum RunFolder {
    /// Where the programs were built. The link is resolved because a tool may have been started through one
    /// in the folder of a run, and other tests must not copy files that come and go.
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

    /// The home directory of every program that a test starts.
    static let home: URL = {
        let home = url.appending(path: "home")
        try! FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        return home
    }()

    private static let prefix = "test-run-"

    private static func removeThoseOfEndedRuns() {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: built.path)) ?? [] where name.hasPrefix(prefix) {
            // A folder with the number of this process was left by an earlier process.
            guard let run = pid_t(name.dropFirst(prefix.count)) else { continue }
            guard run == getpid() || hasEnded(run) else { continue }
            // Another run may be deleting it at the same time.
            try? files.removeItem(at: built.appending(path: name))
        }
    }

    private static func hasEnded(_ process: pid_t) -> Bool {
        kill(process, 0) != 0 && errno == ESRCH
    }
}
