import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A folder of this test run's own, beside what was built. Other runs in the same checkout have theirs.
enum RunFolder {
    /// Where the programs were built, also for a tool that was started through a link from a run's own folder: what it
    /// makes and removes must not come and go in a folder that other tests copy.
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

    /// The home of every program that a test starts.
    static let home: URL = {
        let home = url.appending(path: "home")
        try! FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        return home
    }()

    private static let prefix = "test-run-"

    private static func removeThoseOfEndedRuns() {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: built.path)) ?? [] where name.hasPrefix(prefix) {
            // One with this process's own number is from an earlier process.
            guard let run = pid_t(name.dropFirst(prefix.count)) else { continue }
            guard run == getpid() || hasEnded(run) else { continue }
            // Another run may remove it at the same time.
            try? files.removeItem(at: built.appending(path: name))
        }
    }

    private static func hasEnded(_ process: pid_t) -> Bool {
        kill(process, 0) != 0 && errno == ESRCH
    }
}
