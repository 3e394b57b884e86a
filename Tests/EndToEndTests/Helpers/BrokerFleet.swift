import Foundation
import TestSupport
import Testing

/// A broker, a pipeline that publishes when `publish` is called, and viewers. All of them end with this.
final class Fleet {
    let marked = MarkedProcesses()
    let publisher: RunningProgram
    private(set) var viewers: [Viewer] = []
    private let recipe: Recipe
    private let folder = TemporaryFolder()
    private let port = "\(Loopback.freePort())"
    private var broker: RunningProgram?

    init(_ recipe: Recipe) {
        self.recipe = recipe
        // The price is the number of the reading.
        let source = ShellSource.quoting("'$((60000 + (n += 1)))'")
        let pipeline = "price-clock | price-fallback 'price-fetch binance' 'price-fetch coinbase'"
        let commands = recipe.commands("One machine publishes")
        precondition(commands.contains(pipeline))
        publisher = Self.shell(
            commands.replacing(pipeline, with: "price-fallback \"$SOURCE\"").replacing(
                recipe.port, with: port),
            in: folder, marked.environment.merging(["SOURCE": source]) { $1 })
    }

    deinit {
        stopBroker()
        // A loop may start one more after the others were listed.
        repeat {
            for process in marked.living.keys { kill(process, SIGKILL) }
        } while !marked.areGone(within: .milliseconds(100))
    }

    func startBroker() {
        // A client that does not answer is dropped after two seconds instead of minutes.
        folder.write("nats.conf", "ping_interval: 200ms\nping_max: 10\n")
        // As root mosquitto would give up the right to write into the test's folder; otherwise this is ignored.
        let commands = recipe.commands("The broker").replacing(
            "\npersistence true", with: "\nuser root\npersistence true"
        ).replacing("nats-server", with: "nats-server -c nats.conf")
        let lines = commands.replacing(recipe.port, with: port).components(separatedBy: "\n")
        let command = (lines.dropLast() + ["exec " + lines.last!]).joined(separator: "\n")
        broker = Self.shell(command, in: folder, [:])
        #expect(broker!.waitUntil(within: .seconds(30)) { Loopback.isListening(UInt16(port)!) })
    }

    func stopBroker() {
        broker?.signal(SIGTERM)
        _ = broker?.result(within: .seconds(30))
        broker = nil
    }

    func publish(_ readings: ClosedRange<Int>) {
        for _ in readings { publisher.write("{}\n") }
    }

    func publish(_ reading: Int) { publish(reading...reading) }

    /// Publishes one reading after the other, starting with this one, until all viewers see one.
    ///
    /// - Returns: that reading.
    func publishUntilSeen(from reading: Int) -> Int? {
        (reading..<reading + 20).first { reading in
            publish(reading)
            return viewers.allSatisfy { $0.sees(reading, within: .seconds(2)) }
        }
    }

    func brokerHasReported(_ text: String) -> Bool { broker?.errors.contains(text) == true }

    /// How often the publisher found no broker.
    var refusals: Int { publisher.errors.components(separatedBy: "refused").count - 1 }

    @discardableResult func addViewer() -> Viewer {
        let commands = recipe.commands("Each viewer").replacing(recipe.port, with: port)
            .replacing("viewer-1", with: "viewer-\(viewers.count + 1)")
        viewers.append(Viewer(Self.shell(commands, in: folder, marked.environment)))
        return viewers.last!
    }

    private static func shell(_ commands: String, in folder: TemporaryFolder, _ environment: [String: String])
        -> RunningProgram
    {
        RunningProgram(
            "nice", ["-n", "10", "bash", "-c", "cd '\(folder.path)'\n\(commands)"],
            environment: environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 })
    }
}
