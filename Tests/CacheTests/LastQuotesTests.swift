import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// The error flag, and the quote that is substituted.
@Suite(.unit) struct LastQuotesTests {
    private let failed = Reading(answering: anyTick(13), [anyFailure()])
    private let known = StoredQuote(symbol: .bitcoin, source: "coinbase", quote: anyQuote())

    private func makeSUT(_ limit: Duration? = nil, knowing quotes: StoredQuote...) -> LastQuotes {
        var sut = LastQuotes(ageLimit: AgeLimit(limit))
        for quote in quotes { sut.update(quote) }
        return sut
    }

    @Test func `a new quote passes through, and the error flag is false`() {
        let reading = Reading(answering: anyTick(), anyQuote("1.00"), from: "binance", after: [anyFailure()])
        var expected = reading
        expected.error = false
        #expect(makeSUT(knowing: known).flagged(reading, at: anyTime()) == expected)
    }

    @Test
    func `without a new quote the last one is substituted, with its source, and the error flag is true`() {
        var expected = Reading(answering: anyTick(13), known.quote, from: "coinbase", after: failed.failures)
        expected.error = true
        #expect(makeSUT(knowing: known).flagged(failed, at: anyTime(999_999)) == expected)
    }

    @Test func `when no quote is known there is none, and the error flag is true`() {
        var expected = failed
        expected.error = true
        #expect(makeSUT().flagged(failed, at: anyTime()) == expected)
    }

    @Test func `only a quote of the same symbol is substituted; without a symbol it is BTC-USD`() {
        let ether = Reading(answering: anyTick(symbol: "ETH-USD"), [anyFailure()])
        let named = Reading(answering: anyTick(symbol: "BTC-USD"), [anyFailure()])
        let sut = makeSUT(knowing: known)
        #expect(sut.flagged(ether, at: anyTime()).quote == nil)
        #expect(sut.flagged(named, at: anyTime()).quote == known.quote)
    }

    @Test func `the last new quote of each symbol is saved once; a quote from the store is not`() {
        let ether = StoredQuote(symbol: Symbol("ETH-USD")!, source: "binance", quote: anyQuote("1.00"))
        let later = StoredQuote(symbol: .bitcoin, source: "binance", quote: anyQuote("2.00"))
        var sut = makeSUT(knowing: known, ether, later)
        sut.restore(StoredQuote(symbol: Symbol("SOL-USD")!, source: "binance", quote: anyQuote("3.00")))
        #expect(sut.takeUnsaved() == [.bitcoin: later, ether.symbol: ether])
        #expect(sut.takeUnsaved() == [:])
        #expect([Symbol.bitcoin, ether.symbol, Symbol("SOL-USD")!].allSatisfy(sut.knows))
    }

    @Test(arguments: [(59_999, true), (60_000, false), (60_001, false)])
    func `a quote as old as the age limit is not substituted`(age: Int, isSubstituted: Bool) {
        let flagged = makeSUT(.seconds(60), knowing: known).flagged(failed, at: anyTime(age))
        #expect(
            (flagged.quote != nil) == isSubstituted && (flagged.source != nil) == isSubstituted
                && flagged.error == true
        )
    }

    @Test(arguments: [(-60_000, true), (-60_001, false), (-3_600_000_000, false)])
    func `with an age limit a quote from the future is not substituted, since its age is unknown`(
        age: Int, isSubstituted: Bool
    ) {
        let flagged = makeSUT(.seconds(60), knowing: known).flagged(failed, at: anyTime(age))
        #expect((flagged.quote != nil) == isSubstituted && flagged.error == true)
        #expect(makeSUT(knowing: known).flagged(failed, at: anyTime(age)).quote != nil)
    }

    @Test func `a reading that another cache has flagged is not changed`() {
        var stale = Reading(answering: anyTick(), anyQuote("1.00"), from: "binance", after: [anyFailure()])
        stale.error = true
        #expect(makeSUT(knowing: known).flagged(stale, at: anyTime()) == stale)
        #expect(StoredQuote(of: stale) == nil)
    }
}

extension LastQuotes {
    fileprivate func flagged(_ reading: Reading, at now: Timestamp) -> Reading {
        var reading = reading
        flag(&reading, at: now)
        return reading
    }
}
