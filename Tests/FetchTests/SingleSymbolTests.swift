import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

@Suite(.unit) struct SingleSymbolTests {
    private let sut = SingleSymbol(source: "stream", symbol: .bitcoin)

    @Test(arguments: [nil, "BTC-USD"])
    func `a tick of its symbol is not refused`(symbol: String?) {
        #expect(sut.refusal(of: anyTick(symbol: symbol)) == nil)
    }

    @Test(arguments: ["ETH-USD", "BTC-EUR", "BTC", "btc-usd"])
    func `a tick of another symbol is answered with the symbol that it prices, for a minute`(symbol: String) {
        let tick = anyTick(symbol: symbol)
        let failure = Failure(
            source: "stream", kind: .unsupported, message: "prices BTC-USD only", retry: .seconds(60))
        #expect(sut.refusal(of: tick) == Reading(answering: tick, [failure]))
    }
}
