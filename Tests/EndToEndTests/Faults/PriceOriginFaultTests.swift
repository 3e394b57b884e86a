import PipeCommon
import TestSupport
import TestTraits
import Testing

/// A price on the screen was sent by that source, for that symbol, in that tick: searched at random on exchanges that
/// misbehave in their bytes, connections and timing. `BTC_PRICE_SEED` repeats a search.
@Suite(.endToEnd, .serialized) struct PriceOriginFaultTests {
    // MARK: The search

    @Test(.fault(37, 39), arguments: [1, 2, 25])
    func `every price that is shown is of its source, symbol and tick`(symbols: Int) throws {
        try search(.plain, symbols)
    }

    @Test(
        .fault(37, 39), .enabled(if: OriginSearch.isPossible(.tls), "needs openssl"),
        arguments: [1, 2, 25])
    func `every price that is shown is of its source, symbol and tick over TLS`(symbols: Int) throws {
        try search(.tls, symbols)
    }

    @Test(
        .fault(37, 39), .enabled(if: OriginSearch.isPossible(.http2), "needs openssl and nghttpx"),
        arguments: [1, 2, 25])
    func `every price that is shown is of its source, symbol and tick over HTTP/2`(symbols: Int) throws {
        try search(.http2, symbols)
    }

    private func search(_ transport: OriginSearch.Transport, _ symbols: Int) throws {
        let sut = OriginSearch(transport, symbols: symbols, seed: Seed.value &+ UInt64(symbols))
        let wanted = FullSize.count(short: min(30 * symbols, 200), full: 12_000)
        let check = try sut.run(prices: wanted)
        #expect(check.faults == [], "\(Seed.text)")
        #expect(sut.faults == [], "\(Seed.text)")
        // A search that hardly shows a price finds nothing.
        #expect(check.quotes > wanted / 20, "\(check.quotes) quotes, \(Seed.text)")
        if FullSize.isWanted {
            print("\(transport), \(symbols): \(sut.askedPrices) prices asked for, \(check.quotes) quotes")
        }
    }

    // MARK: What it finds

    private static let asked = anyTime()

    /// A price that an exchange has sent for ETH-USD.
    private func price(_ request: Int = 7) -> TracedPrice {
        TracedPrice(exchange: 1, symbol: 1, request: request)
    }

    private func fault(
        _ price: String, symbol: String = "ETH-USD", source: String = "binance", at: Timestamp = asked
    ) -> String? {
        var sut = makeSUT()
        sut.check(reading(price, symbol: symbol, source: source, at: at))
        return sut.faults.first.map { String($0.prefix { $0 != ":" && $0 != "(" }) }
    }

    private func makeSUT() -> OriginCheck {
        OriginCheck { price in
            guard price.exchange == 1, price.request < 9 else { return nil }
            let askedAt = price.request == 8 ? nil : Self.asked
            return ("binance", .init(symbol: Symbol("ETH-USD")!, manner: .plain, askedAt: askedAt))
        }
    }

    private func reading(
        _ price: String, symbol: String = "ETH-USD", source: String = "binance", at: Timestamp = asked,
        tick number: Int = 1, error: Bool? = nil
    ) -> Reading {
        let tick = Tick(number: number, at: at, symbol: Symbol(symbol))
        var reading = Reading(answering: tick, anyQuote(price), from: source, after: [anyFailure()])
        reading.error = error
        return reading
    }

    @Test func `the price of a tick's own request is in order, and so is the last one after it`() {
        var sut = makeSUT()
        sut.check(reading(price().text))
        sut.check(reading(price().text, tick: 2, error: true))
        #expect(sut.faults == [] && sut.quotes == 1)
    }

    @Test func `a price of another source, symbol or tick, of no request or in pieces is found`() {
        let good = price().text
        #expect(fault(good) == nil)
        #expect(fault(good, source: "kraken") == "a price of another source")
        #expect(fault(good, symbol: "BTC-USD") == "a price of another symbol ")
        #expect(fault(good, at: Self.asked + .milliseconds(2)) == "a price of an earlier tick ")
        #expect(fault(price(8).text) == "a price that answers no request ")
        let pieces = ["1.00", String(good.dropLast()), String(good.dropFirst()), "1" + good, price(9).text]
        for piece in pieces { #expect(fault(piece) == "a price that no exchange has sent") }
    }

    @Test func `a price that is shown twice, or stands in without being the last one, is found`() {
        var (repeated, standIn) = (makeSUT(), makeSUT())
        for tick in 1...2 { repeated.check(reading(price().text, tick: tick)) }
        standIn.check(reading(price(1).text))
        standIn.check(reading(price(2).text, tick: 2, error: true))
        #expect(repeated.faults.count == 1 && standIn.faults.count == 1)
    }
}
