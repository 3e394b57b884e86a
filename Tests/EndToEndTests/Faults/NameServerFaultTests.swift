import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Name servers and addresses that are slow, silent or dead.
@Suite(.endToEnd) struct NameServerFaultTests {
    private let fetch = FetchUnderTest()
    private let folder = TemporaryFolder()

    /// Starts `price-fetch` with only these name servers, and with a URL that contains a host name instead of
    /// the server's address.
    private func start(
        asking names: [StubNameServer], _ server: StubServer, _ source: String = "binance",
        timeout: String = "800ms"
    ) -> RunningProgram {
        folder.write("resolv.conf", names.map { "nameserver \($0.address)\n" }.joined())
        let base = "http://btc-price.test:\(server.port)"
        return fetch.start(
            ["price-fetch", "--timeout", timeout, "--base", base, source],
            with: "\(folder.path)/resolv.conf", over: "/etc/resolv.conf")
    }

    @Test(.fault(16)) func `a host name that does not exist causes a failure within 3 seconds`() throws {
        let running = fetch.start("http://no-such-name.invalid/price.json", timeout: "800ms")
        let start = ContinuousClock.now
        let kind = try running.failure().kind
        #expect(kind == .network || kind == .timeout)
        #expect(ContinuousClock.now - start < .seconds(3))
    }

    @Test(.fault(16), .enabled(if: FetchUnderTest.canNameServers, "needs unshare and port 53"))
    func `ticks fail on time while the name server is silent and succeed soon after it responds`() throws {
        let names = try #require(StubNameServer())
        let server = StubServer(.quote)
        let running = start(asking: [names], server, timeout: "500ms")
        for tick in 0..<4 {
            let start = ContinuousClock.now
            let kind = try running.failure(at: tick).kind
            #expect(kind == .timeout || kind == .network)
            #expect(ContinuousClock.now - start < .seconds(1))
        }
        #expect(names.asked > 0 && server.requests.isEmpty)
        // When the name server begins to respond
        names.answer()
        // Then a quote comes within 4 seconds
        let start = ContinuousClock.now
        let isBack = try (4..<20).contains { try running.answer(to: $0).quote != nil }
        #expect(isBack && ContinuousClock.now - start < .seconds(4))
    }

    @Test(
        .fault(38), .enabled(if: FetchUnderTest.canNameServers, "needs unshare and port 53"),
        arguments: ["slow", "dead first server", "dead first address"])
    func `with slow name resolution or a dead address, a quote comes by the third tick`(name: String) throws {
        let names = try (0..<2).map { _ in try #require(StubNameServer()) }
        let server = StubServer(at: "127.0.0.2", .quote)
        let dead = DeadAddress(at: "127.0.0.1", port: server.port)
        switch name {
        case "slow": names[0].answer(after: .milliseconds(900), [127, 0, 0, 2])
        case "dead first server": names[1].answer([127, 0, 0, 2])
        default: names[0].answer([127, 0, 0, 1], [127, 0, 0, 2])
        }
        let asked = name == "dead first server" ? names : [names[0]]
        let running = start(asking: asked, server)
        #expect(try isSoon(3, running) { try running.answer(to: $0).quote != nil })
        #expect(names[0].asked > 0)
        withExtendedLifetime(dead) {}
    }

    @Test(.fault(38), .enabled(if: FetchUnderTest.canNameServers, "needs unshare and port 53"))
    func `if a host's first address is dead, all 16 symbols get a quote by the fourth beat`() throws {
        let names = try #require(StubNameServer())
        names.answer([127, 0, 0, 1], [127, 0, 0, 2])
        let server = StubServer(at: "127.0.0.2", .ok(FetchUnderTest.bodyOfAnySymbol))
        let dead = DeadAddress(at: "127.0.0.1", port: server.port)
        let running = start(asking: [names], server, "bitstamp")
        // Four beats are allowed because the answers of a beat may be late on a busy machine.
        let isComplete = try isSoon(4, running) { tick in
            for symbol in 0..<16 { running.write(#"{"tick":\#(tick),"symbol":"S\#(symbol)-USD"}"# + "\n") }
            return try (0..<16).map { _ in try running.nextReading() }.allSatisfy { $0.quote != nil }
        }
        #expect(isComplete)
        withExtendedLifetime(dead) {}
    }

    /// Whether one of the next `count` beats meets the condition. As with `price-clock`, beats are a second
    /// apart.
    private func isSoon(_ count: Int, _ running: RunningProgram, _ isWanted: (Int) throws -> Bool) rethrows
        -> Bool
    {
        try (1...count).contains { tick in
            let next = Deadline(in: .seconds(1))
            if try isWanted(tick) { return true }
            running.wait(next.remaining())
            return false
        }
    }
}
