import Foundation
import TestSupport
import Testing

/// One pipeline and many viewers, with a real broker between them on loopback: the commands of the recipes.
@Suite(.serialized) struct BrokerTests {
    private static let hasMQTT =
        isLinux && ["mosquitto", "mosquitto_pub", "mosquitto_sub"].allSatisfy(Programs.has)
    private static let hasRedis = isLinux && ["redis-server", "redis-cli"].allSatisfy(Programs.has)

    @Test(.enabled(if: hasMQTT, "needs mosquitto and its clients"))
    func `MQTT: 50 viewers see the last price at once and lose none, even when the broker is restarted`() {
        let fleet = Fleet(.mosquitto)
        fleet.startBroker()
        fleet.publish(1)
        // One after the other, so that tests beside this one keep their time
        for _ in 1...50 { #expect(fleet.addViewer().sees(1)) }
        // When, then
        fleet.publish(2...41)
        #expect(fleet.viewers.allSatisfy { $0.sees(41) && $0.shown == Array(1...41) })
        // When
        fleet.stopBroker()
        fleet.publish(42...61)
        usleep(500_000)
        fleet.startBroker()
        // Then, late, and perhaps twice
        #expect(fleet.viewers.allSatisfy { $0.sees(61) })
        fleet.publish(62...81)
        #expect(fleet.viewers.allSatisfy { $0.sees(81) && $0.firstShown == Array(1...81) })
        // And
        let late = fleet.addViewer()
        #expect(late.sees(81) && late.shown == [81])
    }

    @Test(.enabled(if: hasMQTT, "needs mosquitto and its clients"))
    func `MQTT: a viewer that was away gets what it has missed`() throws {
        let fleet = Fleet(.mosquitto)
        fleet.startBroker()
        fleet.publish(1...5)
        #expect(fleet.addViewer().sees(5))
        #expect(fleet.addViewer().sees(5))
        // When
        let away = try #require(
            fleet.marked.living.first { $0.value.hasSuffix("-i viewer-1 -c -q 1 -t btc-price ") })
        kill(away.key, SIGKILL)
        fleet.publish(6...10)
        #expect(fleet.viewers[1].sees(10))
        // Then
        #expect(fleet.viewers[0].sees(10))
        #expect(Array(fleet.viewers[0].firstShown.suffix(6)) == Array(5...10))
    }

    @Test(.enabled(if: hasMQTT, "needs mosquitto and its clients"))
    func `MQTT: the broker may be the last to start`() {
        let fleet = Fleet(.mosquitto)
        fleet.addViewer()
        fleet.publish(1...3)
        #expect(fleet.publisher.errors(containing: "refused"))
        #expect(fleet.viewers[0].hasSaid("refused"))
        fleet.startBroker()
        #expect(fleet.viewers[0].sees(3))
    }

    @Test(.enabled(if: hasRedis, "needs redis-server and redis-cli"))
    func `Redis: 50 viewers see the last price at once, and lose only what came while the engine was down`() {
        let fleet = Fleet(.redis)
        fleet.startBroker()
        fleet.publish(1)
        // One after the other, so that tests beside this one keep their time
        for _ in 1...50 { #expect(fleet.addViewer().sees(1)) }
        // When, then
        fleet.publish(2...41)
        #expect(fleet.viewers.allSatisfy { $0.sees(41) && $0.firstShown == Array(1...41) })
        // When
        fleet.stopBroker()
        let before = fleet.refusals
        fleet.publish(42...46)
        #expect(fleet.publisher.waitUntil(within: .seconds(30)) { fleet.refusals == before + 5 })
        fleet.startBroker()
        // Then each comes back by itself, to the last price that the engine has
        #expect(fleet.viewers.allSatisfy { $0.sees(41) })
        fleet.publish(47...56)
        #expect(fleet.viewers.allSatisfy { $0.sees(56) && $0.firstShown == Array(1...41) + Array(47...56) })
        // And
        let late = fleet.addViewer()
        #expect(late.sees(56) && late.shown == [56])
    }
}

/// The commands of a recipe, by the comment above them.
private struct Recipe: Sendable {
    static let mosquitto = Recipe(port: "1883", containing: "mosquitto_pub")
    static let redis = Recipe(port: "6379", containing: "redis-cli")

    let port: String
    private let parts: [String]

    private init(port: String, containing command: String) {
        self.port = port
        let block = Document.recipes.blocks(in: "sh").first { $0.contains { $0.contains(command) } } ?? []
        parts = ("\n" + block.joined(separator: "\n")).components(separatedBy: "\n# ")
    }

    /// - Parameter title: how the comment begins.
    func commands(_ title: String) -> String {
        let part = parts.first { $0.hasPrefix(title) }!
        return part.drop { $0 != "\n" }.trimmingCharacters(in: .newlines)
    }
}

/// A broker, a pipeline that publishes when it is told, and viewers. All end with this.
private final class Fleet {
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
        // As root mosquitto would give up the right to write into the test's folder; otherwise this is ignored.
        let commands = recipe.commands("The broker").replacing(
            "\npersistence true", with: "\nuser root\npersistence true")
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

    /// How often the publisher found nobody there.
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

/// What one viewer has shown so far, by the numbers of the readings.
private final class Viewer {
    private let program: RunningProgram
    private var cut: [UInt8] = []
    private(set) var shown: [Int] = []

    init(_ program: RunningProgram) {
        self.program = program
    }

    /// Whether a reading is shown, now or soon, behind what was seen before.
    func sees(_ reading: Int) -> Bool {
        let seen = shown.count
        return program.waitUntil(within: .seconds(60)) {
            takeLines()
            return shown[seen...].contains(reading)
        }
    }

    /// A line that shows no number of a reading is taken for number -1.
    private func takeLines() {
        let lines = (cut + program.takeOutput()).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        cut = Array(lines.last!)
        let start = "Nov 21, 14:03 - $60,"
        let end = ".00"
        for line in lines.dropLast().map({ String(decoding: $0, as: UTF8.self) }) {
            let isPrice = line.hasPrefix(start) && line.hasSuffix(end)
            shown.append(isPrice ? Int(line.dropFirst(start.count).dropLast(end.count)) ?? -1 : -1)
        }
    }

    /// Without what was shown again.
    var firstShown: [Int] {
        var seen: Set<Int> = []
        return shown.filter { seen.insert($0).inserted }
    }

    func hasSaid(_ text: String) -> Bool { program.errors(containing: text) }
}
