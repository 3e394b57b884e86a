import PipeCommon
import TestSupport
import Testing

@testable import price_cache

/// The policy: what a reading says with the last known quote.
struct LastQuotesTests {
    private let failed = Reading(answering: anyTick(13), [anyFailure()])
    private let known = StoredQuote(symbol: .bitcoin, source: "coinbase", quote: anyQuote())

    private func makeSUT(_ limit: Duration? = nil, knowing quotes: StoredQuote...) -> LastQuotes {
        var sut = LastQuotes(ageLimit: AgeLimit(limit))
        for quote in quotes { sut.remember(quote) }
        return sut
    }

    @Test func `a new quote passes, and the error flag is false`() {
        let reading = Reading(answering: anyTick(), anyQuote("1.00"), from: "binance", after: [anyFailure()])
        var expected = reading
        expected.error = false
        #expect(makeSUT(knowing: known).flagged(reading, at: anyTime()) == expected)
    }

    @Test
    func `without a new quote the last known one stands in, with its source, and the error flag is true`() {
        var expected = Reading(answering: anyTick(13), known.quote, from: "coinbase", after: failed.failures)
        expected.error = true
        #expect(makeSUT(knowing: known).flagged(failed, at: anyTime(999_999)) == expected)
    }

    @Test func `with nothing known there is no quote, and the error flag is true`() {
        var expected = failed
        expected.error = true
        #expect(makeSUT().flagged(failed, at: anyTime()) == expected)
    }

    @Test func `a symbol is stood in by its own quote only, and one without a name is bitcoin`() {
        let ether = Reading(answering: anyTick(symbol: "ETH-USD"), [anyFailure()])
        let named = Reading(answering: anyTick(symbol: "BTC-USD"), [anyFailure()])
        let sut = makeSUT(knowing: known)
        #expect(sut.flagged(ether, at: anyTime()).quote == nil)
        #expect(sut.flagged(named, at: anyTime()).quote == known.quote)
    }

    @Test func `what is new is the last quote of each symbol, once; what came from the store is not`() {
        let ether = StoredQuote(symbol: Symbol("ETH-USD")!, source: "binance", quote: anyQuote("1.00"))
        let later = StoredQuote(symbol: .bitcoin, source: "binance", quote: anyQuote("2.00"))
        var sut = makeSUT(knowing: known, ether, later)
        sut.recall(StoredQuote(symbol: Symbol("SOL-USD")!, source: "binance", quote: anyQuote("3.00")))
        #expect(sut.takeNew() == [.bitcoin: later, ether.symbol: ether])
        #expect(sut.takeNew() == [:])
        #expect([Symbol.bitcoin, ether.symbol, Symbol("SOL-USD")!].allSatisfy(sut.knows))
    }

    @Test(arguments: [(59_999, true), (60_000, false), (60_001, false)])
    func `a quote as old as the limit, or older, is no quote`(age: Int, standsIn: Bool) {
        let flagged = makeSUT(.seconds(60), knowing: known).flagged(failed, at: anyTime(age))
        #expect(
            (flagged.quote != nil) == standsIn && (flagged.source != nil) == standsIn && flagged.error == true
        )
    }

    @Test func `what another cache has flagged is not flagged again`() {
        var stale = Reading(answering: anyTick(), anyQuote("1.00"), from: "binance", after: [anyFailure()])
        stale.error = true
        #expect(makeSUT(knowing: known).flagged(stale, at: anyTime()) == stale)
        #expect(StoredQuote(of: stale) == nil)
    }
}

struct StoredQuoteTests {
    private func stored(_ milliseconds: Int) -> StoredQuote {
        StoredQuote(symbol: .bitcoin, source: "x", quote: anyQuote(at: anyTime(milliseconds)))
    }

    @Test func `it is written as it was read`() throws {
        let line = """
            {"symbol":"BTC-USD","source":"binance","quote":{"value":"68901.23","currency":"USD",\
            "timestamp":"2026-11-21T14:03:07.412Z"}}
            """
        #expect(try StoredQuote(line: line.utf8).text == line)
    }

    @Test(arguments: [(-1, false), (0, false), (1, true)])
    func `the quote that was received later is newer`(later: Int, isNewer: Bool) {
        #expect(stored(later).isNewer(than: stored(0), at: anyTime(later)) == isNewer)
    }

    @Test(arguments: [(60_000, true), (60_001, false), (3_600_000, false)])
    func `26: after the clock was set back, a quote from ahead is not newer than one of now`(
        ahead: Int, isNewer: Bool
    ) {
        #expect(stored(ahead).isNewer(than: stored(0), at: anyTime()) == isNewer)
    }

    @Test func `a recorded quote never replaces a newer one, whatever the clock says`() {
        #expect(stored(3_600_000).isNewer(than: stored(0), at: anyTime(-120_000)))
    }
}

extension LastQuotes {
    fileprivate func flagged(_ reading: Reading, at now: Timestamp) -> Reading {
        var reading = reading
        flag(&reading, at: now)
        return reading
    }
}
