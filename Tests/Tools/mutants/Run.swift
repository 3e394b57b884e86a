import Foundation

/// Runs a command and then kills every process that the command has started.
final class Run {
    enum Ending: Equatable {
        case status(Int32)
        /// A line of the command's output has ended the run.
        case stopped
        case tooLong
    }

    /// The folder that identifies the processes that the command starts: see `endAll`.
    private let work: URL
    private let limit: TimeInterval

    init(in work: URL, limit: TimeInterval) {
        (self.work, self.limit) = (work, limit)
    }

    /// - Parameter isLast: returns whether a line of standard output or standard error ends the run.
    func callAsFunction(_ words: [String], isLast: (String) -> Bool) -> Ending {
        // A mutant may cause a warning, for example about a condition that is always true. Without
        // BTC_PRICE_STRICT, warnings are not errors.
        let variables = ProcessInfo.processInfo.environment
            .merging(["TMPDIR": work.appending(path: "tmp").path]) { $1 }
            .filter { $0.key != "BTC_PRICE_STRICT" }
        var ends: [Int32] = [0, 0]
        precondition(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let process = spawn(
            ["/usr/bin/env"] + words, variables.map { "\($0)=\($1)" }, [nothing, ends[1], ends[1]])
        for end in [nothing, ends[1]] { close(end) }
        defer {
            // If the command has already been reaped, its process ID may belong to another process.
            if waitpid(process, nil, WNOHANG) == 0 { kill(process, SIGKILL) }
            waitpid(process, nil, 0)
            Self.endAll(of: work)
            close(ends[0])
        }
        let deadline = Date(timeIntervalSinceNow: limit)
        var (unread, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        var status: Int32 = 0
        while deadline.timeIntervalSinceNow > 0 {
            var readable = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
            if poll(&readable, 1, 200) == 0 {
                // After the command has ended, processes that it started may still hold the pipe open.
                if waitpid(process, &status, WNOHANG) == process { return .status(status) }
                continue
            }
            let count = read(ends[0], &bytes, bytes.count)
            if count <= 0 {
                waitpid(process, &status, 0)
                return .status(status)
            }
            unread += bytes[..<count]
            while let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                if isLast(String(decoding: unread[..<end], as: UTF8.self)) { return .stopped }
                unread.removeSubrange(...end)
            }
        }
        return .tooLong
    }

    /// Kills all other processes that belong to the folder and empties its `tmp`. A process belongs to the
    /// folder if `/proc` shows the folder's path in the process's program path, arguments or environment.
    static func endAll(of work: URL) {
        let files = FileManager.default
        let numbers = (try? files.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
        for process in numbers where process != getpid() {
            let program = try? files.destinationOfSymbolicLink(atPath: "/proc/\(process)/exe")
            let texts = ["environ", "cmdline"].map {
                files.contents(atPath: "/proc/\(process)/\($0)") ?? Data()
            }
            let mark = Data(work.path.utf8)
            if program?.hasPrefix(work.path) == true || texts.contains(where: { $0.range(of: mark) != nil }) {
                kill(process, SIGKILL)
            }
        }
        let temporary = work.appending(path: "tmp")
        for name in (try? files.contentsOfDirectory(atPath: temporary.path)) ?? [] {
            try? files.removeItem(at: temporary.appending(path: name))
        }
    }
}
