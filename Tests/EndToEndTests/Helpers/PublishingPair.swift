import Foundation
import TestSupport

/// The recipe of two pipelines that publish to one broker, ten times faster than it is. All of it ends with this.
final class PublishingPair {
    private let recipe = Recipe.twoPipelines
    private let port = "\(Loopback.freePort())"
    private let folder = TemporaryFolder()
    private var running: [String: (program: RunningProgram, marked: MarkedProcesses)] = [:]

    init() {
        startBroker()
        start("tokyo")
        start("paris")
    }

    deinit {
        for name in running.keys { kill(name) }
    }

    func startBroker() {
        run("broker", "exec \(recipe.commands("The broker"))")
        running["broker"]!.program.waitUntil(within: .seconds(20)) { Loopback.isListening(UInt16(port)!) }
    }

    /// Starts the pipeline of a machine. Its price is the time, in seconds.
    func start(_ machine: String) {
        let pipeline = "price-clock | price-fallback 'price-fetch binance' 'price-fetch coinbase'"
        let commands = recipe.commands("Each of two machines").replacing("/tokyo", with: "/\(machine)")
        precondition(commands.contains(pipeline))
        let source = ShellSource.quoting("'$(date +%s)'").shellQuoted
        run(
            machine,
            commands.replacing(pipeline, with: "price-clock --interval 100ms | price-fallback \(source)"))
    }

    /// Kills all processes of a machine, or the broker, at once.
    func kill(_ machine: String) {
        let marked = running[machine]!.marked
        repeat {
            for process in marked.living.keys { Foundation.kill(process, SIGKILL) }
        } while !marked.areGone(within: .milliseconds(100))
    }

    /// Answers the test's ticks.
    func viewer() -> RunningProgram {
        let commands = recipe.commands("Each viewer").replacing("price-clock | ", with: "")
            .replacing("| price-format", with: "").replacing("--max-age 2s", with: "--max-age 400ms")
            .replacing("price-fallback ", with: "price-fallback --timeout 160ms --budget 400ms ")
        run("viewer", commands)
        return running["viewer"]!.program
    }

    private func run(_ name: String, _ commands: String) {
        let marked = MarkedProcesses()
        let program = RunningProgram(
            "bash", ["-c", "cd \(folder.path)\n\(commands.replacing(recipe.port, with: port))"],
            environment: marked.environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 })
        running[name] = (program, marked)
    }
}
