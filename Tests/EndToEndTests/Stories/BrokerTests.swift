import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// One pipeline and many viewers, with a real broker between them on loopback: the commands of the recipes.
@Suite(.endToEnd, .serialized) struct BrokerTests {
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
        fleet.publisher.wait(.milliseconds(500))
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

    @Test(.enabled(if: hasRedis, "needs redis-server and redis-cli"))
    func `a Redis stream: a viewer that was away gets what it has missed, and survives a restart`() throws {
        let fleet = Fleet(.redisStreams)
        fleet.startBroker()
        fleet.addViewer()
        // Its group begins with what comes after it.
        let first = try #require(fleet.publishUntilSeen(from: 1))
        // When
        let reader = try #require(fleet.marked.living.first { $0.value.hasPrefix("redis-cli") })
        kill(reader.key, SIGKILL)
        fleet.publish(first + 1...first + 5)
        // Then
        #expect(fleet.viewers[0].sees(first + 5))
        // When
        fleet.stopBroker()
        fleet.startBroker()
        // Then
        let last = try #require(fleet.publishUntilSeen(from: first + 6))
        let missed = first...first + 5
        #expect(fleet.viewers[0].shown.filter(missed.contains) == Array(missed) && last > missed.upperBound)
    }

    @Test(.enabled(if: isLinux && Programs.has("nats-server"), "needs nats-server"))
    func `NATS: viewers see the last price at once, answer the server, and survive its restart`() throws {
        let fleet = Fleet(.nats)
        fleet.startBroker()
        fleet.publish(1)
        for _ in 1...3 { #expect(fleet.addViewer().sees(1)) }
        // When they are asked whether they are there, more often than the server accepts silence
        fleet.publisher.wait(.seconds(3))
        fleet.publish(2...41)
        // Then
        #expect(fleet.viewers.allSatisfy { $0.sees(41) && $0.shown == Array(1...41) })
        #expect(!fleet.brokerHasReported("Stale Connection"))
        // When
        fleet.stopBroker()
        fleet.startBroker()
        // Then
        let last = try #require(fleet.publishUntilSeen(from: 42))
        #expect(fleet.viewers.allSatisfy { $0.firstShown.starts(with: 1...41) && $0.firstShown.last == last })
        // And
        let late = fleet.addViewer()
        #expect(late.sees(last) && late.shown == [last])
    }

    @Test(.enabled(if: isLinux && Programs.has("kcat"), "needs kcat"))
    func `Kafka: the key of a line is its symbol, which keeps its order`() throws {
        let cluster = try #require(MockKafka())
        let (publisher, viewer) = (cluster.publisher(), cluster.viewer())
        let symbols = ["BTC-USD", "ETH-USD", "SOL-USD", "BTC-EUR"]
        var shown: [String: [Int]] = [:]
        func publish(_ tick: Int) {
            for symbol in symbols {
                publisher.write(#"{"tick":\#(tick),"symbol":"\#(symbol)","error":true}"# + "\n")
            }
        }
        func see(_ tick: Int, within limit: Duration) throws -> Bool {
            while symbols.contains(where: { shown[$0]?.last != tick }) {
                guard let line = viewer.readLine(within: limit) else { return false }
                let tick = try Tick(line: line.utf8)
                shown[tick.pricedSymbol.text, default: []].append(try #require(tick.number))
            }
            return true
        }
        let first = try (0..<20).first { tick in
            publish(tick)
            return try see(tick, within: .seconds(1))
        }
        // When
        let last = try #require(first) + 3
        for tick in last - 2...last { publish(tick) }
        // Then
        #expect(try see(last, within: .seconds(60)))
        for ticks in shown.values { #expect(ticks == Array(ticks[0]...last)) }
    }

    @Test(.enabled(if: hasMQTT, "needs mosquitto and its clients"))
    func `two pipelines publish, one is killed: a viewer has one new price for every beat`() throws {
        let pair = PublishingPair()
        let viewer = pair.viewer()
        var tick = 0
        /// The source that answers the next tick with a price that is new, if there is one.
        func source() throws -> String? {
            tick += 1
            let reading = try viewer.answer(to: tick)
            #expect(reading.tick == tick)
            viewer.wait(.milliseconds(50))
            guard reading.isFresh, let quote = reading.quote else { return nil }
            let published = try #require(Double(quote.price.text))
            #expect(abs(Date().timeIntervalSince1970 - published) < 5)
            return reading.source
        }
        func isAnswered(by machine: String) throws -> Bool {
            try (0..<100).contains { _ in try source() == machine }
        }
        #expect(try isAnswered(by: "tokyo"))
        // When
        pair.kill("tokyo")
        // Then
        #expect(try isAnswered(by: "paris"))
        for _ in 1...10 { #expect(try source() == "paris") }
        // And
        pair.start("tokyo")
        #expect(try isAnswered(by: "tokyo"))
        // When
        pair.kill("broker")
        while try source() != nil, tick < 1000 {}
        pair.startBroker()
        // Then
        #expect(try isAnswered(by: "tokyo"))
        for _ in 1...10 { #expect(try source() != nil) }
    }
}
