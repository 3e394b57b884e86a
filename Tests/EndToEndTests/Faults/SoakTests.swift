import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import soak

/// `scripts/soak` detects lines that break an invariant. `Invariants` lists the invariants by number.
@Suite(.endToEnd) struct SoakTests {
    private static let symbols = [Symbol.bitcoin, Symbol("ETH-USD")!]
    /// The time at which a tick is due unless a test sets another time. A price from the exchange may answer only ticks
    /// that are due at or before this time.
    private let now = Timestamp.now()

    /// A check of the invariants. Its only exchange, Binance, has sent the prices 0 to 8: 0 to 3 for BTC-USD, and
    /// 4 to 8 for ETH-USD. Price 8 was sent without a request, so it must not answer any tick.
    private func makeSUT(_ symbols: [Symbol] = [.bitcoin], machineDelay: Duration = .zero) -> Invariants {
        let prices = PriceCheck { [now] price in
            guard price.exchange == 1, price.request < 9 else { return nil }
            return PriceOrigin(
                source: "binance", symbol: Self.symbols[price.request / 4 == 0 ? 0 : 1],
                latest: price.request == 8 ? nil : now)
        }
        return Invariants(of: symbols, prices, limit: .seconds(1)) { _ in machineDelay }
    }

    private func price(_ request: Int = 0) -> String {
        TracedPrice(exchange: 1, symbol: request / 4 == 0 ? 0 : 1, request: request).text
    }

    private func line(
        _ price: String, tick: Int = 0, symbol: Symbol? = nil, source: String = "binance",
        error: Bool = false, at time: Timestamp? = nil
    ) -> [UInt8] {
        let tick = Tick(number: tick, at: time ?? now, symbol: symbol)
        var reading = Reading(answering: tick, anyQuote(price, at: now), from: source, after: [anyFailure()])
        reading.error = error
        return reading.line
    }

    /// The report of the first violation by these lines, up to its second colon: the invariant and the kind
    /// of violation. Nil if the lines do not break any invariant.
    private func broken(by lines: [UInt8]..., symbols: [Symbol] = [.bitcoin]) -> String? {
        var sut = makeSUT(symbols)
        for line in lines { sut.check(reading: line, at: now) }
        return sut.broken.first.map { $0.split(separator: ":").prefix(2).joined(separator: ":") }
    }

    @Test func `good readings do not break any invariant`() {
        var sut = makeSUT()
        sut.check(reading: line(price()), at: now)
        sut.check(reading: line(price(), tick: 1, error: true), at: now)
        sut.check(text: Array("Nov 21, 14:03 - $1,000,000,000.\(price().suffix(2))".utf8))
        #expect(sut.broken == [])
        #expect(sut.counts.quotes == 1 && sut.counts.banners == 1 && sut.unshown == 1)
    }

    @Test func `a missing tick, for one symbol or for all, breaks invariant I1`() {
        #expect(broken(by: line(price(), tick: 1)) == "I1: tick 1 instead of 0")
        let other = line(price(4), tick: 1, symbol: Self.symbols[1])
        #expect(broken(by: line(price()), symbols: Self.symbols) == nil)
        #expect(broken(by: line(price()), other, symbols: Self.symbols) == "I1: tick 1 instead of 0")
    }

    /// The milliseconds until the first and the second line arrive, the machine's own delay in milliseconds,
    /// and whether I2 is broken. Ticks due before the pipeline's first line count as due when that line
    /// arrives. The first line may take up to 40 s.
    @Test(arguments: [
        (0, 900, 0, false), (0, 1010, 0, true), (0, 1400, 200, false), (39_000, 39_000, 0, false),
        (41_000, 41_000, 0, true),
    ])
    func `a line that exceeds its budget breaks invariant I2, unless the machine caused the delay`(
        first: Int, second: Int, machineDelay: Int, isLate: Bool
    ) {
        var sut = makeSUT(machineDelay: .milliseconds(machineDelay))
        sut.check(reading: line(price(0)), at: now + .milliseconds(first))
        sut.check(reading: line(price(1), tick: 1), at: now + .milliseconds(second))
        #expect((sut.broken.first?.hasPrefix("I2") == true) == isLate)
    }

    @Test func `a price that its source did not send for this symbol and tick breaks invariant I3`() {
        let good = price(4)
        let ethereum = Self.symbols[1]
        func fault(_ price: String, symbol: Symbol = ethereum, source: String = "binance", later: Int = 0)
            -> String?
        {
            let time = now + .milliseconds(later)
            return broken(
                by: line(price, symbol: symbol, source: source, at: time), symbols: Self.symbols)
        }
        #expect(fault(good) == nil)
        #expect(fault(good, source: "kraken") == "I3: a price of another source")
        #expect(fault(good, symbol: .bitcoin) == "I3: a price of another symbol")
        #expect(fault(good, later: 2) == "I3: a price of an earlier tick")
        #expect(fault(price(8)) == "I3: a price that answers no request")
        let pieces = ["1.00", String(good.dropLast()), String(good.dropFirst()), "1" + good, price(9)]
        for piece in pieces { #expect(fault(piece) == "I3: a price that no source has sent") }
        let repeated = broken(by: line(price()), line(price(), tick: 1))
        #expect(repeated == "I3: a price that has answered another tick")
        let standIn = broken(by: line(price(1)), line(price(2), tick: 1, error: true))
        #expect(standIn?.hasSuffix("is shown but was not the last quote") == true)
    }

    @Test(arguments: [("Nov 21, 14:03 - $60,000.01", "I3: shows"), ("\u{1B}", "I7")])
    func `displayed text with a wrong price or a control character breaks an invariant`(
        text: String, fault: String
    ) {
        var sut = makeSUT()
        sut.check(reading: line(price()), at: now)
        sut.check(text: Array(text.utf8))
        #expect(sut.broken.first?.hasPrefix(fault) == true)
    }
}
