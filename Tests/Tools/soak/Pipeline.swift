import Foundation
import PipeCommon
import TestSupport

/// The parts of the pipeline that differ between the kinds of soak.
struct Stages {
    /// The commands of the sources. The first source is the primary.
    let sources: [String]
    /// The names of the source processes, such as `price-fetch binance`.
    let programs: [String]
    /// Returns the known facts about a price, or nil if no source has sent it.
    let origin: (TracedPrice) -> PriceOrigin?
    /// The options of `price-fallback`, except for its time limits.
    var options = ""
    var cache = "price-cache"
    /// Shell commands that run first, in the folder of the pipeline.
    var preparation = ""
    var needsMount = false
    var environment: [String: String] = [:]
    /// The expected exit status of the pipeline if no stage is killed.
    var status: Int32 = 0
}

/// The pipeline, run by a shell. `tee` copies the readings for the soak.
final class Pipeline {
    static let stages = ["price-clock", "price-fallback", "price-cache", "price-format"]
    /// The names of the stages and of the source processes, by which `processes()` finds the running processes.
    let programs: [String]

    private let marked = MarkedProcesses()
    private let shell: RunningProgram
    private let readings: TimedLines
    private var text: [UInt8] = []

    init(
        _ options: SoakOptions, ticks count: Int, of symbols: [Symbol], _ stages: Stages,
        in folder: TemporaryFolder
    ) {
        programs = Self.stages + stages.programs
        let fifo = "\(folder.path)/readings"
        unlink(fifo)
        mkfifo(fifo, 0o600)
        readings = TimedLines(from: open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
        let place = folder.path.shellQuoted
        let asked = symbols.map { "--symbol \($0.text)" }.joined(separator: " ")
        let command = """
            set -o pipefail
            cd \(place)
            \(stages.preparation)
            PATH=\(place):$PATH
            price-clock --interval \(options.interval.milliseconds)ms -n \(count) \(asked) |
                price-fallback --timeout \(options.timeout.milliseconds)ms --budget \(options.budget.milliseconds)ms \
                \(stages.options) \(stages.sources.map(\.shellQuoted).joined(separator: " ")) |
                XDG_CACHE_HOME=\(place) \(stages.cache) | tee readings | price-format
            """
        let words = (stages.needsMount ? ["unshare", "-rm"] : []) + ["bash", "-c", command]
        // The noise that a source logs is read and discarded.
        let quiet = #"exec "$@" 2> >(grep -a -v --line-buffered ^noise >&2)"#
        shell = RunningProgram(
            "bash", ["-c", quiet, "pipefail"] + words,
            environment: marked.environment.merging(stages.environment) { $1 })
    }

    /// Returns the readings that have arrived since the last call.
    func takeReadings() -> [(line: [UInt8], arrival: Timestamp)] { readings.take() }

    /// Returns the lines of text that have arrived since the last call.
    func takeText() -> [[UInt8]] {
        text += shell.takeOutput()
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(
            Array.init)
        text = lines.last ?? []
        return lines.dropLast()
    }

    var hasEnded: Bool { shell.hasExited }

    /// Waits for the pipeline to end and returns its exit status, as `pipefail` defines it.
    func status() -> Int32 { shell.finish(within: .seconds(5)).status }

    var errors: String { shell.errors }

    func isGone() -> Bool { marked.areGone(within: .seconds(1)) }

    /// The IDs of the running processes, by the names in `programs`.
    func processes() -> [String: Int32] {
        let named = marked.living.compactMap { process, command in
            name(of: command).map { ($0, process) }
        }
        return Dictionary(named) { $1 }
    }

    private func name(of command: String) -> String? {
        // The command lines of the shells that run the pipeline contain all the names.
        if command.contains("pipefail") { return nil }
        if command.hasPrefix("price-fetch "), let source = command.split(separator: " ").last {
            return "price-fetch \(source)"
        }
        return programs.first { command.contains($0) }
    }

    /// - Returns: whether a process of the program was found and killed.
    func kill(_ program: String) -> Bool {
        processes()[program].map { Foundation.kill($0, SIGKILL) == 0 } ?? false
    }
}
