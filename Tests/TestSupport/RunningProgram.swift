import Foundation
import PipeCommon

/// A built program, or any command, as a real process with pipes to its three streams. Every method that waits has a
/// time limit, except `write`.
public final class RunningProgram {
    /// How a program ended, and everything that it wrote.
    public struct Result {
        /// The exit status, or 128 plus the number of the signal that ended the program.
        public let status: Int32
        public let output: String
        public let errors: String

        public var lines: [String] {
            output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
        }
    }

    public let process: pid_t
    private var input: Int32
    private let streams: [Int32]
    private var received: [[UInt8]] = [[], []]
    private var isOpen = [true, true]
    private var linesTaken = 0
    private var status: Int32?

    /// - Parameter environment: variables that extend or override the small default environment of a test.
    public init(_ program: String, _ arguments: [String] = [], environment: [String: String] = [:]) {
        let variables = Self.environment(environment)
        let pipes = starting.withLock { Self.threePipes() }
        var words = [program] + arguments
        if !program.contains("/") { words = Self.located(program) + arguments }
        process = starting.withLock {
            spawn(words, variables, [pipes[0].read, pipes[1].write, pipes[2].write])
        }
        for end in [pipes[0].read, pipes[1].write, pipes[2].write] { close(end) }
        input = pipes[0].write
        streams = [pipes[1].read, pipes[2].read]
    }

    deinit {
        closeInput()
        if status == nil {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        for stream in streams { close(stream) }
    }

    /// Runs a program to completion with the given input.
    public static func run(
        _ program: String, _ arguments: [String] = [], input: String = "", environment: [String: String] = [:]
    ) -> Result {
        let running = RunningProgram(program, arguments, environment: environment)
        running.write(input)
        return running.finish()
    }

    /// Runs a shell command with the built programs on its PATH.
    public static func shell(_ command: String, input: String = "", environment: [String: String] = [:])
        -> Result
    {
        run("bash", ["-c", command], input: input, environment: environment)
    }

    public func write(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            pump(for: .zero)
            let count = rest.prefix(4096).withUnsafeBytes {
                Foundation.write(input, $0.baseAddress, $0.count)
            }
            if count < 0, errno != EAGAIN { return }
            if count < 0 { pump(for: .milliseconds(5)) } else { rest = rest.dropFirst(count) }
        }
    }

    public func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Returns the next line of standard output, or nil if no line arrives in time or the output ends first.
    public func readLine(within limit: Duration = patience) -> String? {
        waitUntil(within: limit) { self.lines.count > self.linesTaken || !self.isOpen[0] }
        guard lines.count > linesTaken else { return nil }
        linesTaken += 1
        return lines[linesTaken - 1]
    }

    /// Returns, without waiting, the bytes that have arrived on standard output since the last call. Must not
    /// be combined with `readLine`.
    public func takeOutput() -> [UInt8] {
        pump(for: .zero)
        defer { (received[0], cut) = ([], 0) }
        return received[0]
    }

    /// Waits until a text appears on standard error.
    ///
    /// - Returns: whether the text appears within the limit.
    public func errors(containing text: String, within limit: Duration = patience) -> Bool {
        waitUntil(within: limit) { self.errors.contains(text) || !self.isOpen[1] }
        return errors.contains(text)
    }

    public func signal(_ number: Int32) {
        if !hasExited { kill(process, number) }
    }

    /// Closes the program's input and waits for the program to end: see `result`.
    public func finish(within limit: Duration = patience) -> Result {
        closeInput()
        return result(within: limit)
    }

    /// Waits for the program and its output to end. If the program does not end in time, it is killed and its
    /// status is 137.
    public func result(within limit: Duration = patience) -> Result {
        waitUntil(within: limit) { self.hasExited && !self.isOpen[0] && !self.isOpen[1] }
        if !hasExited {
            kill(process, SIGKILL)
            waitUntil(within: .seconds(5)) { self.hasExited }
        }
        pump(for: .zero)
        return Result(status: status ?? -1, output: text(0), errors: errors)
    }

    public var hasExited: Bool {
        var code: Int32 = 0
        if status == nil, waitpid(process, &code, WNOHANG) == process {
            status = code & 0x7F == 0 ? code >> 8 & 0xFF : 128 + code & 0x7F
        }
        return status != nil
    }

    public var errors: String { text(1) }

    /// How many complete lines have arrived on standard output so far.
    public var lineCount: Int { lines.count }

    private func text(_ stream: Int) -> String { String(decoding: received[stream], as: UTF8.self) }

    /// The complete lines of standard output. Each line is split off only once, because `readLine` checks the lines
    /// repeatedly while it waits.
    private var lines: [String] = []
    private var cut = 0

    private func cutLines() {
        while let end = received[0][cut...].firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(String(decoding: received[0][cut..<end], as: UTF8.self))
            cut = end + 1
        }
    }

    /// Waits for a condition and reads the program's output in the meantime.
    ///
    /// - Returns: whether the condition was met in time.
    @discardableResult
    public func waitUntil(within limit: Duration = patience, _ condition: () -> Bool) -> Bool {
        wait(within: limit, until: condition) { pump(for: .milliseconds(5)) }
    }

    /// Reads the available output. If there is none, waits for output until the limit is reached.
    private func pump(for limit: Duration) {
        var polled = streams.indices.map {
            pollfd(fd: isOpen[$0] ? streams[$0] : -1, events: Int16(POLLIN), revents: 0)
        }
        poll(&polled, nfds_t(polled.count), Int32(limit.milliseconds))
        // If both streams are closed, there is no output to wait for, only the end of the process.
        if !isOpen.contains(true) { usleep(UInt32(limit.milliseconds) * 1000) }
        for stream in polled.indices where polled[stream].revents != 0 {
            guard let bytes = try? readAvailable(streams[stream]) else { continue }
            received[stream] += bytes
            if stream == 0 { cutLines() }
            isOpen[stream] = !bytes.isEmpty
        }
    }

    private static func threePipes() -> [(read: Int32, write: Int32)] {
        Foundation.signal(SIGPIPE, SIG_IGN)
        let pipes: [(read: Int32, write: Int32)] = (0..<3).map { _ in
            var ends: [Int32] = [-1, -1]
            precondition(pipe(&ends) == 0, "cannot create a pipe")
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return (ends[0], ends[1])
        }
        _ = fcntl(pipes[0].write, F_SETFL, O_NONBLOCK)
        return pipes
    }

    private static func located(_ program: String) -> [String] {
        let own = Programs.folder.appending(path: program).path
        return FileManager.default.fileExists(atPath: own) ? [own] : ["/usr/bin/env", program]
    }

    static func environment(_ changes: [String: String]) -> [String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let plain = [
            "PATH": "\(Programs.folder.path):\(path)", "HOME": RunFolder.home.path, "SHELL": "/bin/sh",
            "TZ": "UTC0", "LANG": "C.UTF-8", "TERM": "xterm",
        ]
        return plain.merging(changes) { $1 }.map { "\($0)=\($1)" }
    }
}
