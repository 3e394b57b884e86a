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
    private let tee: Int32
    private var readings = LineReader()
    private var text: [UInt8] = []

    init(_ options: SoakOptions, ticks: Int, server: StubServer, folder: TemporaryFolder) {
        let fifo = "\(folder.path)/readings"
        unlink(fifo)
        mkfifo(fifo, 0o600)
        tee = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        let sources = FaultyServer.sources.map { "'price-fetch --url \(server.url("/\($0)")) \($0)'" }
        let command = """
            set -o pipefail
            price-clock --interval \(options.interval.milliseconds)ms -n \(ticks) |
                price-fallback --timeout \(options.timeout.milliseconds)ms --budget \(options.budget.milliseconds)ms \
                \(sources.joined(separator: " ")) |
                price-cache --file \(folder.path)/quote.json | tee \(fifo) | price-format
            """
        shell = RunningProgram("bash", ["-c", command], environment: marked.environment)
    }

    deinit {
        close(tee)
    }

    /// The lines that came within the time.
    func lines(within limit: Duration) -> [Line] {
        var polled = pollfd(fd: tee, events: Int16(POLLIN), revents: 0)
        poll(&polled, 1, Int32(limit.milliseconds))
        var lines: [Line] = []
        // No process has it open for writing, or not any more.
        if (try? readings.read(from: tee)) == false { usleep(2000) }
        let now = Timestamp.now()
        while let line = readings.next() {
            if case .text(let bytes) = line { lines.append(.reading(Array(bytes), at: now)) }
        }
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
