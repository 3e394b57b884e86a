import Foundation
import TestSupport

/// The mock cluster that the client library of Kafka has, and the recipe's clients of it.
final class MockKafka {
    private let marked = MarkedProcesses()
    private let cluster: RunningProgram
    private let port: String

    init?() {
        // It ignores the broker that it is given, and lives until its input ends.
        let words = ["-P", "-b", "none:1", "-t", "none", "-X", "test.mock.num.brokers=1", "-d", "mock"]
        cluster = RunningProgram("kcat", words, environment: marked.environment)
        let pattern = /bootstrap.servers=127.0.0.1:(\d+)\n/
        cluster.waitUntil(within: .seconds(20)) { [cluster] in cluster.errors.contains(pattern) }
        guard let match = cluster.errors.firstMatch(of: pattern) else { return nil }
        port = String(match.output.1)
    }

    deinit {
        for process in marked.living.keys { kill(process, SIGKILL) }
    }

    /// Publishes the lines that it reads.
    func publisher() -> RunningProgram {
        let commands = Recipe.kafka.commands("One machine publishes")
        let start = commands.firstRange(of: "while read")!.lowerBound
        return run(String(commands[start...]))
    }

    /// Prints the lines themselves.
    func viewer() -> RunningProgram {
        run(Recipe.kafka.commands("Each viewer").replacing(" | price-format", with: ""))
    }

    private func run(_ commands: String) -> RunningProgram {
        RunningProgram(
            "bash", ["-c", commands.replacing(Recipe.kafka.port, with: port)], environment: marked.environment
        )
    }
}
