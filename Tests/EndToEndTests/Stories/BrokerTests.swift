import TestSupport
import TestTraits
import Testing

/// One pipeline, a viewer and a real broker between them on loopback: the commands of the recipes.
@Suite(.endToEnd) struct BrokerTests {
    private static let tools = [
        "mosquitto", "mosquitto_sub", "redis-server", "redis-cli", "nats-server", "kcat",
    ]
    private static let areThere = isLinux && tools.allSatisfy(Programs.has)

    @Test(
        .enabled(if: areThere, "needs mosquitto and its clients, Redis, nats-server and kcat"),
        arguments: BrokerRecipe.all)
    func `a viewer shows what is published, again after the broker was restarted`(recipe: BrokerRecipe) throws
    {
        let fleet = try Fleet(recipe)
        let first = try #require(fleet.publishUntilSeen(from: 1))
        // The mock cluster of Kafka has no memory.
        guard recipe.commands("The broker") != nil else { return }
        // When
        try fleet.restartBroker()
        // Then
        #expect(fleet.publishUntilSeen(from: first + 1) != nil)
    }
}
