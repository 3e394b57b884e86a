import TestSupport
import TestTraits
import Testing

@testable import soak

/// Random searches by `scripts/soak` for broken invariants: each displayed price must have been sent by its
/// source, for its symbol and tick, and each line must arrive within its budget. In some searches, exchanges
/// send bad bytes, break connections or answer late. In others, the source processes misbehave, the store may
/// be slow or broken, and standard error may stay unread. To repeat a search, set `BTC_PRICE_SEED`.
@Suite(.endToEnd) struct SoakFaultTests {
    private func soak(_ words: [String]) -> RunningProgram.Result {
        let ended = RunningProgram("soak", words).result(within: .seconds(FullSize.isWanted ? 7200 : 120))
        #expect(ended.status == 0 && ended.output.contains("every invariant held"), "\(Seed.text): \(ended)")
        if FullSize.isWanted { print(ended.output) }
        return ended
    }

    @Test(.fault(37, 39), arguments: Transport.allCases, FullSize.isWanted ? [1, 2, 25] : [1, 25])
    func `every displayed price belongs to its source, symbol and tick`(transport: Transport, symbols: Int)
        throws
    {
        if !transport.isPossible { try skip("needs openssl, and nghttpx for HTTP/2") }
        let ticks = FullSize.count(short: max(8, 30 / symbols), full: 12_000 / symbols)
        // A search in which hardly any price is shown proves nothing. On a busy machine, all answers of a
        // short search may be late. Therefore the test tries up to five searches.
        for attempt in 0..<5 as Range<UInt64> {
            let result = soak([
                "--symbols", "\(symbols)", "--transport", transport.rawValue,
                "--interval", "\(max(50, symbols * 10))ms", "--ticks", "\(ticks)",
                "--slack", "3s", "--seed", "\(Seed.value &+ UInt64(symbols) &+ attempt &* 1009)",
            ])
            let quotes = try #require(result.output.matches(of: /\nquotes (\d+)/).last)
            if Int(quotes.output.1)! > ticks * symbols / 20 { return }
        }
        Issue.record("no search has shown enough prices")
    }

    @Test(.fault(23, 34, 40))
    func `every line arrives within its budget, whatever the sources and the store do`() {
        // The slack is added to each budget because a program that reads a flood of garbage has to wait for
        // the processor while other tests run.
        let slack = FullSize.isWanted ? "50ms" : "1500ms"
        // The searches run one after the other, so that they do not delay each other.
        for search in 0..<UInt64(FullSize.count(short: 2, full: 60)) {
            _ = soak([
                "--processes", "--interval", "40ms", "--ticks", "\(FullSize.count(short: 60, full: 500))",
                "--slack", slack, "--seed", "\(Seed.value &+ search &* 1009)",
            ])
        }
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `every invariant holds while exchanges misbehave and programs are killed`() {
        let result = soak(["--ticks", "300", "--interval", "20ms", "--slack", "3s", "--seed", "8"])
        // With this seed, a stage is killed once. Then a new pipeline is started.
        #expect(result.output.contains(" in 2 pipelines\n"))
    }

    @Test(.enabled(if: isLinux && PushServer.isPossible, "needs /proc and openssl"), .fault(47))
    func `memory stays nearly constant while a push feed sends at full rate`() {
        #expect(soak(["--messages", "20000"]).output.contains("20000 messages"))
    }
}
