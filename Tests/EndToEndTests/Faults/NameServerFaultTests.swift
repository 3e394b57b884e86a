import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Name servers and addresses that are slow, silent or dead.
@Suite(.endToEnd) struct NameServerFaultTests {
    private let fetch = FetchUnderTest()
    private let folder = TemporaryFolder()

    /// Starts `price-fetch` on a machine that has only these name servers, and with the host name of the
    /// server.
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

    @Test(.fault(16)) func `a host name that does not exist is a failure by the deadline`() throws {
        let url = "http://no-such-name.invalid/price.json"
        let running = fetch.start(url, timeout: "800ms")
        let start = ContinuousClock.now
        let kind = try running.failure().kind
        #expect(kind == .network || kind == .timeout)
        #expect(ContinuousClock.now - start < .seconds(3))
    }

    @Test(.fault(16), .enabled(if: FetchUnderTest.canNameServers, "needs unshare and port 53"))
    func
        `a silent name server does not delay any tick beyond its deadline, and quotes return when it answers`()
        throws
    {
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
        // When
        names.answer()
        // Then
        let start = ContinuousClock.now
        let isBack = try (4..<20).contains { try running.answer(to: $0).quote != nil }
        #expect(isBack && ContinuousClock.now - start < .seconds(4))
    }

    /// Sends a tick every second, as the clock does, and returns the first tick that gets a quote.
    private func ticksToQuote(_ running: RunningProgram) throws -> Int? {
        for tick in 1...5 {
            let next = Deadline(in: .seconds(1))
            if try running.answer(to: tick).quote != nil { return tick }
            running.wait(next.remaining())
        }
        return nil
    }

    @Test(
        .fault(38), .enabled(if: FetchUnderTest.canNameServers, "needs unshare and port 53"),
        arguments: ["slow", "dead first server", "dead first address"])
    func `with a slow or dead name server, or a dead first address, there is a quote by the third tick`(
        name: String
    ) throws {
        let names = try (0..<2).map { _ in try #require(StubNameServer()) }
        let server = StubServer(at: "127.0.0.2", .quote)
        let dead = DeadAddress(at: "127.0.0.1", port: server.port)
        switch name {
        case "slow": names[0].answer(after: .milliseconds(900), [127, 0, 0, 2])
        case "dead first server": names[1].answer([127, 0, 0, 2])
        default: names[0].answer([127, 0, 0, 1], [127, 0, 0, 2])
        }
        let asked = name == "dead first server" ? names : [names[0]]
        #expect(try #require(try ticksToQuote(start(asking: asked, server))) <= 3)
        #expect(names[0].asked > 0)
        withExtendedLifetime(dead) {}
    }

    @Test(.fault(38), .enabled(if: FetchUnderTest.canNameServers, "needs unshare and port 53"))
    func `with a dead first address each of many symbols soon gets a quote`() throws {
        let names = try #require(StubNameServer())
        names.answer([127, 0, 0, 1], [127, 0, 0, 2])
        let server = StubServer(at: "127.0.0.2", .ok(FetchUnderTest.bodyOfAnySymbol))
        let dead = DeadAddress(at: "127.0.0.1", port: server.port)
        let running = start(asking: [names], server, "bitstamp")
        let quotes = try (1...4).map { tick in
            let next = Deadline(in: .seconds(1))
            for symbol in 0..<16 { running.write(#"{"tick":\#(tick),"symbol":"S\#(symbol)-USD"}"# + "\n") }
            let readings = try (0..<16).map { _ in try running.nextReading() }
            running.wait(next.remaining())
            return readings.count { $0.quote != nil }
        }
        // On a busy machine a later beat may be late.
        #expect(quotes.contains(16), "\(quotes)")
        withExtendedLifetime(dead) {}
    }
}
