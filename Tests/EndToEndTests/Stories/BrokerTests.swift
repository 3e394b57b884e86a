import Foundation
import TestSupport
import TestTraits
import Testing

/// One pipeline and many viewers, with a real broker between them on loopback: the commands of the recipes.
@Suite(.endToEndWaiting, .serialized) struct BrokerTests {
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
}
