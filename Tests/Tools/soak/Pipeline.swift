import Foundation
import PipeCommon
import TestSupport

/// The pipeline as a shell runs it, with its readings teed off.
final class Pipeline {
    enum Line {
        case reading([UInt8], at: Timestamp)
        case text([UInt8])
    }

    static let programs =
        ["price-clock", "price-fallback", "price-cache", "price-format"]
        + FaultyServer.sources.map { "price-fetch \($0)" }

    private let marked = MarkedProcesses()
    private let shell: RunningProgram
    private let readings: TimedLines
    private var text: [UInt8] = []

    /// - Parameter reach: called with each tick as soon as the clock has printed it, in a thread of its own.
    init(
        _ options: SoakOptions, ticks count: Int, of symbols: [Symbol], server: StubServer,
        names: FaultyNames?,
        folder: TemporaryFolder,
        reach: @escaping @Sendable (Int) -> Void
    ) {
        readings = TimedLines(from: Self.fifo("\(folder.path)/readings"))
        let ticks = Self.fifo("\(folder.path)/ticks")
        // A fixed address has one symbol.
        let option = symbols.count > 1 ? "--base" : "--url"
        var sources = FaultyServer.sources.map { "price-fetch \(option) \(server.url("/\($0)")) \($0)" }
        folder.addTool("noisy-fetch", Self.noise)
        sources[0].replace("price-fetch", with: "noisy-fetch")
        if let names { sources[2] = "price-fetch \(option) \(names.url("/coinbase")) coinbase" }
        let place = folder.path.shellQuoted
        let asked = symbols.map { "--symbol \($0.text)" }.joined(separator: " ")
        let command = """
            set -o pipefail
            \(names == nil ? "" : "mount --bind \(place)/resolv.conf /etc/resolv.conf")
            PATH=\(place):$PATH
            price-clock --interval \(options.interval.milliseconds)ms -n \(count) \(asked) | tee \(place)/ticks |
                price-fallback --timeout \(options.timeout.milliseconds)ms --budget \(options.budget.milliseconds)ms \
                \(sources.map(\.shellQuoted).joined(separator: " ")) |
                XDG_CACHE_HOME=\(place) price-cache | tee \(place)/readings | price-format
            """
        let words = (names == nil ? [] : ["unshare", "-rm"]) + ["bash", "-c", command]
        // What a source logs is read, and not kept.
        let quiet = #"exec "$@" 2> >(grep -a -v --line-buffered ^noise >&2)"#
        shell = RunningProgram("bash", ["-c", quiet, "pipefail"] + words, environment: marked.environment)
        Self.follow(ticks) { reach($0 / symbols.count) }
    }

    /// A fetcher that writes a thousand characters to standard error every 50 ms as long as it runs.
    private static let noise = """
        { while kill -0 $$; do printf 'noise%01000d\\n' 0 >&3; sleep .05; done; } 3>&2 2>/dev/null >/dev/null &
        exec price-fetch "$@"
        """

    private static func fifo(_ path: String) -> Int32 {
        unlink(path)
        mkfifo(path, 0o600)
        return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    }

    /// Counts the lines of the clock as they come.
    private static func follow(_ ticks: Int32, _ reach: @escaping @Sendable (Int) -> Void) {
        Thread.detachNewThread {
            var (count, hasBegun) = (0, false)
            while true {
                var polled = pollfd(fd: ticks, events: Int16(POLLIN), revents: 0)
                poll(&polled, 1, 100)
                guard let bytes = try? readAvailable(ticks) else { continue }
                // Before the clock has begun, there is no process at the other end.
                if bytes.isEmpty, hasBegun { break }
                if bytes.isEmpty { usleep(1000) }
                hasBegun = hasBegun || !bytes.isEmpty
                count += bytes.count { $0 == UInt8(ascii: "\n") }
                if count > 0 { reach(count - 1) }
            }
            close(ticks)
        }
    }

    /// The lines that came within the time.
    func lines(within limit: Duration) -> [Line] {
        usleep(UInt32(limit.milliseconds) * 1000)
        var lines: [Line] = readings.take().map { .reading($0.line, at: $0.arrival) }
        text += shell.takeOutput()
        while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(.text(Array(text[..<end])))
            text.removeSubrange(...end)
        }
        return lines
    }

    var hasEnded: Bool { shell.hasExited }

    /// The exit status of the whole, by `pipefail`.
    func status() -> Int32 { shell.finish(within: .seconds(5)).status }

    var errors: String { shell.errors }

    func isGone() -> Bool { marked.areGone(within: .seconds(1)) }

    /// The living processes, by the names in `programs`.
    func processes() -> [String: Int32] {
        let named = marked.living.compactMap { process, command in
            Self.name(of: command).map { ($0, process) }
        }
        return Dictionary(named) { $1 }
    }

    private static func name(of command: String) -> String? {
        // The shell of the whole names them all.
        if command.contains("pipefail") { return nil }
        if command.hasPrefix("price-fetch "), let source = command.split(separator: " ").last {
            return "price-fetch \(source)"
        }
        return programs.first { command.contains($0) }
    }

    func kill(_ program: String) {
        if let process = processes()[program] { Foundation.kill(process, SIGKILL) }
    }
}
