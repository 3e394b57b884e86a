import Foundation

/// The built programs and the scripts, collected in one folder as in an installation.
public enum Programs {
    /// The project's root folder.
    public static let project = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()

    public static let filters = ["price-fetch", "price-fallback", "price-cache", "price-format"]

    /// A folder with copies of the scripts and links to the programs that were built with the tests.
    public static let folder: URL = {
        let folder = RunFolder.url.appending(path: "installed")
        let files = FileManager.default
        do {
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            for name in filters + ["soak", "bench"] {
                let program = RunFolder.built.appending(path: name)
                try files.createSymbolicLink(
                    at: folder.appending(path: name), withDestinationURL: program)
            }
            try copyScripts(["btc-price", "price-clock"], to: folder)
        } catch {
            fatalError("cannot lay out the programs under test: \(error)")
        }
        return folder
    }()

    /// Copies scripts, the files that they read, and the demo. The files are copied one at a time, because Foundation
    /// lets only root copy a whole folder that belongs to another group.
    public static func copyScripts(_ names: [String], to folder: URL) throws {
        let (files, scripts) = (FileManager.default, project.appending(path: "scripts"))
        let read = try ["demo", "front"].flatMap { name in
            try files.createDirectory(at: folder.appending(path: name), withIntermediateDirectories: false)
            return try files.contentsOfDirectory(atPath: scripts.appending(path: name).path).map {
                "\(name)/\($0)"
            }
        }
        try starting.withLock {
            for name in names + read {
                try files.copyItem(at: scripts.appending(path: name), to: folder.appending(path: name))
            }
        }
    }

    /// Whether `unshare -rm` works on this machine. With it, a test can mount file systems and replace files by
    /// mounting other files over them. Only the test's own programs see these mounts.
    public static let canMount: Bool = {
        let command = "mount -t tmpfs -o size=4k none /mnt && mount --bind /dev/null /etc/resolv.conf"
        return RunningProgram.run("unshare", ["-rm", "sh", "-c", command]).status == 0
    }()

    /// Whether `unshare -rmpf` works on this machine. With it, a program of a test runs as process 1 and with its own
    /// mounts, as in a container.
    public static let canContain =
        RunningProgram.run("unshare", ["-rmpf", "--mount-proc", "mount", "-t", "tmpfs", "none", "/var/lib"])
        .status == 0

    /// Whether a tool is on the PATH.
    public static func has(_ tool: String) -> Bool {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(tool)") }
    }
}

/// A temporary folder for a test, removed when this object is deallocated.
public final class TemporaryFolder: Sendable {
    public let path: String

    /// - Parameter inMemory: whether to keep the folder in memory if possible, so that a disk that is busy with a build
    ///   does not delay the test.
    public init(inMemory: Bool = false) {
        let memory = FileManager.default.isWritableFile(atPath: "/dev/shm") && inMemory ? ["/dev/shm"] : []
        let places = memory + [FileManager.default.temporaryDirectory.path, "/tmp"]
        // Tests use the path unquoted in shell commands, so it must not contain spaces.
        let place = places.first { !$0.contains(" ") }!
        path = URL(filePath: place).appending(path: "btc-price-test-\(UUID().uuidString)").path
        try! FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    public func contents(_ name: String) -> String? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map { String(decoding: $0, as: UTF8.self) }
    }

    public func write(_ name: String, _ text: String) {
        precondition(FileManager.default.createFile(atPath: "\(path)/\(name)", contents: Data(text.utf8)))
    }

    /// Adds a shell script that runs in place of a real tool if the script's folder comes first on the PATH.
    public func addTool(_ name: String, _ commands: String) {
        starting.withLock { write(name, "#!/bin/sh\n\(commands)\n") }
        chmod("\(path)/\(name)", 0o755)
    }
}
