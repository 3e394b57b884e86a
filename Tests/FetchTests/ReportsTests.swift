import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// A problem other than a timeout is reported when it begins. Its end is reported only if the problem affected the
/// whole source.
@Suite(.unit) struct ReportsTests {
    /// A `Reports` object on a simulated clock, whose times are in seconds.
    private final class Timeline {
        private let start = Deadline.Instant.now
        private var warnings: [String] = []
        private lazy var sut = Reports { [unowned self] in warnings.append($0) }

        /// - Returns: the warnings that the error causes.
        func fail(_ error: FetchError, _ symbol: String = "BTC-USD", at seconds: Int = 0) -> [String] {
            defer { warnings = [] }
            sut.report(error, of: Subject(Symbol(symbol)!), from: "binance", at: start + .seconds(seconds))
            return warnings
        }

        func succeed(at seconds: Int = 0) -> [String] {
            defer { warnings = [] }
            sut.recordHealth(at: start + .seconds(seconds))
            return warnings
        }
    }

    private let invalid = FetchError(.invalidData, "/price is not a price")
    private let unsupported = FetchError(.unsupported, "status 400: Invalid symbol.").with(status: 400)
    private let unreachable = FetchError(.network, "refused")

    @Test func `invalid data is reported again only if it recurs after two minutes without invalid data`() {
        let sut = Timeline()
        #expect(sut.fail(invalid) == ["binance: BTC-USD: /price is not a price"])
        #expect(sut.fail(FetchError(.invalidData, "the answer contains no /price"), at: 1) == [])
        #expect(sut.succeed(at: 120) == [] && sut.fail(invalid, at: 120) == [])
        #expect(sut.succeed(at: 240) == [] && sut.fail(invalid, at: 240) != [])
    }

    @Test func `a problem with one symbol is reported once, whatever happens to the other symbols`() {
        let sut = Timeline()
        let warning = "binance: ETH-USD is not supported: status 400: Invalid symbol."
        #expect(sut.fail(unsupported, "ETH-USD") == [warning])
        for second in 1..<3600 {
            #expect(sut.succeed(at: second) == [] && sut.fail(unsupported, "ETH-USD", at: second) == [])
        }
        #expect(sut.fail(unsupported, "BTC-USD") != [])
    }

    @Test(arguments: [
        (FetchError(.invalidData, "status 500: Oops").with(status: 500), "binance: status 500: Oops"),
        (FetchError(.network, "refused"), "binance: unreachable: refused"),
        (FetchError(.rateLimited, "status 429").with(status: 429), "binance: status 429; pausing requests"),
        (FetchError(.denied, "status 401").with(status: 401), "binance: status 401; pausing requests"),
    ])
    func `the beginning and end of a problem with the whole source are reported once for all symbols`(
        error: FetchError, warning: String
    ) {
        let sut = Timeline()
        #expect(sut.fail(error) == [warning])
        #expect(sut.fail(error, "ETH-USD") == [] && sut.fail(error, at: 10) == [])
        #expect(sut.succeed(at: 129) == [])
        #expect(sut.succeed(at: 130) == ["binance: answers again"] && sut.succeed(at: 131) == [])
    }

    @Test(.fault(71))
    func `an outage of an hour is reported only at its beginning and end, even if the messages vary`() {
        let sut = Timeline()
        let warnings =
            (0..<3600).flatMap { sut.fail(FetchError(.network, "no answer after \(10_000 + $0) ms"), at: $0) }
            + sut.succeed(at: 3600) + sut.succeed(at: 3720)
        #expect(warnings == ["binance: unreachable: no answer after 10000 ms", "binance: answers again"])
    }

    @Test(.fault(71))
    func `a source that alternates between success and failure for an hour is reported once`() {
        let sut = Timeline()
        let error = FetchError(.invalidData, "status 500").with(status: 500)
        let warnings = (0..<3600).flatMap { sut.fail(error, at: $0) + sut.succeed(at: $0) }
        #expect(warnings == ["binance: status 500"])
    }

    @Test(.fault(71)) func `two errors that alternate for an hour are reported once each`() {
        let sut = Timeline()
        let warnings = (0..<3600).flatMap {
            sut.fail($0 % 2 == 0 ? unreachable : FetchError(.denied, "no"), at: $0) + sut.succeed(at: $0)
        }
        #expect(warnings == ["binance: unreachable: refused", "binance: no; pausing requests"])
    }

    @Test(.fault(71)) func `problems are reported for at most 1,000 symbols, once for each symbol`() {
        let sut = Timeline()
        let warnings = (0..<2).flatMap { _ in (0..<3000).flatMap { sut.fail(unsupported, "S\($0)-USD") } }
        #expect(warnings.count == 1000)
    }

    @Test func `a new kind of problem is reported, but a timeout is not`() {
        let sut = Timeline()
        #expect(sut.fail(FetchError(.invalidData, "status 500").with(status: 500)) != [])
        #expect(sut.fail(FetchError(.invalidData, "status 502").with(status: 502)) != [])
        #expect(sut.fail(unreachable) != [] && sut.fail(FetchError(.network, "reset")) == [])
        #expect(sut.fail(FetchError(.timeout, "no answer within 800 ms")) == [])
    }

    @Test func `if the user can fix a problem, the warning contains advice`() {
        let warning = Timeline().fail(PriceSource.cryptoCompare.error(in: "", status: 403)!).first
        #expect(warning?.hasSuffix("; set a valid API key: export CRYPTOCOMPARE_API_KEY=...") == true)
        #expect(PriceSource.cryptoCompare.error(in: "", status: 500)?.advice == nil)
    }
}
