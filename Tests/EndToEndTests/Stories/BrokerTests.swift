import Foundation
import TestSupport
import TestTraits
import Testing

/// A pipeline and a viewer, with a broker on loopback between them. All three are started with the commands of
/// the manual's recipes, except for Kafka's broker, which kcat simulates.
@Suite(.endToEnd) struct BrokerTests {
    private static let tools = [
        "mosquitto", "mosquitto_sub", "redis-server", "redis-cli", "nats-server", "kcat",
    ]
    private static let areThere =
        isLinux && tools.allSatisfy(Programs.has)
        && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/confluent_kafka")

    @Test(
        .enabled(
            if: areThere,
            "needs mosquitto and its clients, Redis, nats-server, kcat and python3-confluent-kafka"),
        arguments: BrokerRecipe.all)
    func `a viewer shows the published prices, even after a restart of the broker`(recipe: BrokerRecipe)
        throws
    {
        let fleet = try Fleet(recipe)
        let first = try #require(fleet.publishUntilSeen(from: 1))
        // The recipe for Kafka is the only recipe that does not start a broker. In place of Kafka, the test uses a
        // mock cluster, which would lose all messages in a restart.
        guard recipe.commands("The broker") != nil else { return }
        // When
        try fleet.restartBroker()
        // Then
        #expect(fleet.publishUntilSeen(from: first + 1) != nil)
    }
}

/// One of the manual's recipes for publishing prices through a broker. The recipe's commands are found by
/// the comments above them.
struct BrokerRecipe: CustomTestStringConvertible, Sendable {
    static let all = [
        BrokerRecipe("mosquitto_pub -p", port: "1883"), BrokerRecipe("SUBSCRIBE", port: "6379"),
        BrokerRecipe("XREADGROUP", port: "6379"), BrokerRecipe("nats-server", port: "4222"),
        BrokerRecipe("kcat", port: "9092"), BrokerRecipe("follow()", port: "1883"),
    ]

    let testDescription: String
    let port: String
    private let parts: [String]

    private init(_ command: String, port: String) {
        (testDescription, self.port) = (command, port)
        let block = Document.recipes.blocks(in: "sh").first { $0.contains { $0.contains(command) } }!
        parts = ("\n" + block.joined(separator: "\n")).components(separatedBy: "\n# ")
    }

    /// - Parameter titles: the possible beginnings of the comment above the commands.
    /// - Returns: the commands below the comment; nil if the recipe does not contain such a comment.
    func commands(_ titles: String...) -> String? {
        let part = parts.first { part in titles.contains(where: part.hasPrefix) }
        return part.map { $0.drop { $0 != "\n" }.trimmingCharacters(in: .newlines) }
    }
}

/// A broker, a pipeline that publishes prices when `publishUntilSeen` is called, and a viewer. All of them
/// are killed when this object is released.
final class Fleet {
    private let marked = MarkedProcesses()
    private let recipe: BrokerRecipe
    private let folder = TemporaryFolder()
    private var port = "\(Loopback.freePort())"
    private var broker, publisher, viewer: RunningProgram?
    private var output = ""

    init(_ recipe: BrokerRecipe) throws {
        self.recipe = recipe
        try startBroker()
        // The price of each reading is 60,000 plus the reading's number.
        let source = ShellSource.quoting("'$((60000 + (n += 1)))'")
        let pipeline = "price-clock | price-fallback 'price-fetch binance' 'price-fetch coinbase'"
        let commands = try #require(recipe.commands("One machine publishes", "Each of two machines"))
        precondition(commands.contains(pipeline))
        publisher = shell(
            commands.replacing(pipeline, with: "price-fallback \"$SOURCE\""), ["SOURCE": source])
        viewer = shell(try #require(recipe.commands("Each viewer")))
    }

    deinit {
        // While the listed processes are being killed, a loop in a recipe may start another process.
        repeat {
            for process in marked.living.keys { kill(process, SIGKILL) }
        } while !marked.areGone(within: .milliseconds(100))
    }

    private func startBroker() throws {
        guard let commands = recipe.commands("The broker") else { return try startKafka() }
        // Without this setting, mosquitto drops its privileges when root starts it, and then cannot write to the
        // test's folder. When another user starts it, mosquitto ignores the setting.
        let own = commands.replacing("\npersistence true", with: "\nuser root\npersistence true")
        let lines = own.components(separatedBy: "\n")
        let started = shell((lines.dropLast() + ["exec " + lines.last!]).joined(separator: "\n"))
        #expect(started.waitUntil { Loopback.isListening(UInt16(port)!) })
        broker = started
    }

    /// Starts the mock cluster of librdkafka, the library that kcat uses. The broker given with `-b` is ignored,
    /// and the cluster runs until the input of kcat ends.
    private func startKafka() throws {
        let started = shell("exec kcat -P -b none:1 -t none -X test.mock.num.brokers=1 -d mock")
        let pattern = /bootstrap.servers=127.0.0.1:(\d+)\n/
        started.waitUntil { started.errors.contains(pattern) }
        port = String(try #require(started.errors.firstMatch(of: pattern)).output.1)
        broker = started
    }

    func restartBroker() throws {
        broker?.signal(SIGTERM)
        _ = broker?.result(within: .seconds(30))
        try startBroker()
    }

    /// Publishes up to 30 readings, numbered from `reading` on, until the viewer shows one of them.
    ///
    /// - Returns: the number of the reading that is shown; nil if none of them is shown.
    func publishUntilSeen(from reading: Int) -> Int? {
        (reading..<reading + 30).first { reading in
            publisher?.write("{}\n")
            return viewer!.waitUntil(within: .seconds(2)) {
                output += String(decoding: viewer!.takeOutput(), as: UTF8.self)
                return output.contains(
                    "- $\((60000 + reading) / 1000),\(String(format: "%03d", reading)).00\n")
            }
        }
    }

    private func shell(_ commands: String, _ environment: [String: String] = [:]) -> RunningProgram {
        RunningProgram(
            "nice",
            [
                "-n", "10", "bash", "-c",
                "cd '\(folder.path)'\n\(commands.replacing(recipe.port, with: port))",
            ],
            environment: environment.merging(marked.environment) { $1 }
                .merging(["XDG_CACHE_HOME": folder.path]) { $1 })
    }
}
