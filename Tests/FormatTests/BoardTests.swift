import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The state of the screen, reading by reading.
@Suite(.unit) struct BoardTests {
    private func fresh(_ price: String, symbol: String? = nil) -> Reading {
        Reading(answering: anyTick(symbol: symbol), anyQuote(price), from: "binance")
    }

    private func stale(_ price: String) -> Reading {
        var reading = Reading(answering: anyTick(), anyQuote(price), from: "binance", after: [anyFailure()])
        reading.error = true
        return reading
    }

    private func makeSUT(_ readings: Reading...) -> Board {
        var sut = Board()
        for reading in readings { sut.record(reading) }
        return sut
    }

    @Test func `it has a row for each symbol, in the order in which they appeared`() {
        let (bitcoin, ether) = (fresh("2.00"), fresh("3.00", symbol: "ETH-USD"))
        let sut = makeSUT(fresh("1.00"), ether, bitcoin)
        #expect(sut.rows.map(\.reading) == [bitcoin, ether])
    }

    @Test func `a change is that of the last new quote`() {
        #expect(makeSUT(fresh("1.00")).rows.map(\.change) == [nil])
        #expect(makeSUT(fresh("1.00"), fresh("3.50")).rows.map(\.change) == [.up(Price("2.5")!)])
        #expect(makeSUT(fresh("3.50"), fresh("1.00")).rows.map(\.change) == [.down(Price("2.5")!)])
        #expect(makeSUT(fresh("1.00"), fresh("3.50"), fresh("3.50")).rows.map(\.change) == [nil])
    }

    @Test func `a stale reading keeps the last change`() {
        let sut = makeSUT(fresh("1.00"), fresh("3.50"), stale("3.50"))
        #expect(sut.rows.map(\.change) == [.up(Price("2.5")!)] && sut.rows.map(\.reading) == [stale("3.50")])
    }

    @Test func `prices of two currencies, sources or markets are not compared`() {
        func reading(_ currency: String = "USD", _ source: String = "binance", _ market: String? = nil)
            -> Reading
        {
            let quote = Quote(
                price: Price("2.00")!, currency: Currency(currency)!, timestamp: anyTime(),
                market: market.flatMap(InlineText.init))
            return Reading(answering: anyTick(), quote, from: source)
        }
        for other in [reading("EUR"), reading("USD", "coinbase"), reading("USD", "binance", "BTCUSDT")] {
            #expect(makeSUT(fresh("1.00"), other).rows.map(\.change) == [nil])
            #expect(makeSUT(other, fresh("1.00")).rows.map(\.change) == [nil])
        }
        #expect(makeSUT(fresh("1.00"), reading()).rows.map(\.change) == [.up(Price("1")!)])
    }

    @Test func `a beat is one moment, however many symbols it has`() {
        func reading(_ milliseconds: Int, _ symbol: String) -> Reading {
            let tick = Tick(number: 1, at: anyTime(milliseconds), symbol: Symbol(symbol))
            return Reading(answering: tick, anyQuote(), from: "binance")
        }
        let sut = makeSUT(reading(0, "A-USD"), reading(0, "B-USD"), reading(1000, "A-USD"))
        #expect(sut.beats == 2)
    }

    @Test(arguments: [(-60_000, false), (-59_999, true), (0, true), (59_999, true), (60_000, false)])
    func `in a recording the time is that of the last tick`(wall: Int, isLive: Bool) {
        var sut = Board()
        sut.record(fresh("1.00"), at: anyTime(wall))
        let later = anyTime(wall + 500_000)
        #expect(sut.now(later) == (isLive ? later : anyTime()))
    }
}
