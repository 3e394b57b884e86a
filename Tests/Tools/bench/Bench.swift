import Foundation
import PipeCommon
import TestSupport

/// Runs commands in a temporary folder and measures them for the report. All times are in milliseconds.
final class Bench {
    let options: BenchOptions
    /// Whether a goal was missed.
    var isBroken = false
    /// A folder to search before the usual PATH, quoted for the shell and followed by a colon; empty for none.
    var path = ""
    var folder = TemporaryFolder()
    /// All processes that the benchmark has started.
    let processes = MarkedProcesses()

    init(_ options: BenchOptions) {
        self.options = options
        writeHead()
    }

    func count(_ full: Int, quick: Int) -> Int { options.isQuick ? quick : full }

    func start(_ command: String) -> RunningProgram {
        let environment = processes.environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 }
        let script = "cd \"$XDG_CACHE_HOME\"; PATH=\(path)$PATH\n\(command)"
        return RunningProgram("bash", ["-c", script], environment: environment)
    }

    /// Runs a command to completion. The returned processor time also includes the time of other children
    /// that end in the meantime.
    ///
    /// - Parameter use: called with the running command.
    @discardableResult
    func run(
        _ command: String, use: (RunningProgram) -> Void = { _ in }
    ) -> (wall: Double, processor: Double) {
        let before = processorTimeOfChildren()
        let wall = time {
            let running = start(command)
            use(running)
            let result = running.finish(within: .seconds(600))
            precondition(result.status == 0, "\(command): status \(result.status): \(result.errors)")
        }
        return (wall, (processorTimeOfChildren() - before) * 1000)
    }

    /// The processor time per round trip, in which a text is written to a program and lines are read back. The start of
    /// the program is not included.
    func perExchange(_ command: String, _ count: Int, lines: Int = 1, _ text: (Int) -> String) -> Double {
        perUnit(count) { count in
            run("exec \(command)") { for number in 0..<count { $0.exchange(text(number), for: lines) } }
                .processor
        }
    }
}

/// The cost per unit, computed from the difference between the cost of many units and the cost of a few, so
/// that the cost of starting the program is not included.
func perUnit(_ count: Int, after few: Int = 1, _ cost: (Int) -> Double) -> Double {
    (cost(few + count) - cost(few)) / Double(count)
}

func time(_ body: () -> Void) -> Double { ContinuousClock().measure(body) / .milliseconds(1) }

extension RunningProgram {
    /// Writes a text, then reads and returns the given number of lines of output.
    @discardableResult
    func exchange(_ text: String = "", for count: Int = 1) -> [String] {
        write(text)
        return (0..<count).map { _ in
            let line = readLine(within: .seconds(60))
            precondition(line != nil, "a line is missing: \(errors)")
            return line!
        }
    }
}

// MARK: Lines

func ticks(_ count: Int) -> String { (0..<count).map { "{\"tick\":\($0)}\n" }.joined() }

/// A tick for each symbol.
func ticks(_ beat: Int, symbols count: Int) -> String {
    (0..<count).map { "{\"tick\":\(beat),\"symbol\":\"S\($0)-USD\"}\n" }.joined()
}

/// A reading for each symbol, with the price of the beat.
func readings(_ beat: Int, symbols count: Int) -> String {
    (0..<count).map { quoteLine(price(beat), tick: beat, symbol: "S\($0)-USD", at: .now()) + "\n" }.joined()
}

func price(_ beat: Int) -> String { "\(100 + beat).50" }
