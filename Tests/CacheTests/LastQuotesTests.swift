import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// The rules for setting the error flag, for substituting the last quote for a missing quote, and for saving
/// quotes.
@Suite(.unit) struct LastQuotesTests {
    private let failed = Reading(answering: anyTick(13), [anyFailure()])
    private let known = StoredQuote(symbol: .bitcoin, source: "coinbase", quote: anyQuote())

    private func makeSUT(_ limit: Duration? = nil, knowing quotes: StoredQuote...) -> LastQuotes {
        var sut = LastQuotes(ageLimit: AgeLimit(limit))
        for quote in quotes { sut.update(quote) }
        return sut
    }

    @Test func `a reading with a new quote keeps all its members, and its error flag is set to false`() {
        var reading = Reading(answering: anyTick(), anyQuote("1.00"), from: "binance", after: [anyFailure()])
        reading.prices = [SourcePrice(source: "binance", price: Price("1")!)]
        (reading.isStored, reading.isMadeUp, reading.ownDispute) = (true, true, false)
        var expected = reading
        expected.error = false
        #expect(makeSUT(knowing: known).flagged(reading, at: anyTime()) == expected)
    }

    @Test
    func `a reading without a quote gets the last quote, and its error flag is set to true`() {
        var expected = failed
        expected.error = true
        #expect(makeSUT().flagged(failed, at: anyTime()) == expected)
        (expected.source, expected.quote) = ("coinbase", known.quote)
        #expect(makeSUT(knowing: known).flagged(failed, at: anyTime(999_999)) == expected)
    }

    @Test func `each symbol's last new quote is saved once, and a loaded quote is not saved again`() {
        let ether = StoredQuote(symbol: Symbol("ETH-USD")!, quote: anyQuote("1.00"))
        let later = StoredQuote(quote: anyQuote("2.00"))
        var sut = makeSUT(knowing: known, ether, later)
        let sol = StoredQuote(symbol: Symbol("SOL-USD")!, quote: anyQuote("3.00"))
        sut.restore(QuoteSeries(sol), at: anyTime())
        sut.update(sol)
        #expect(sut.takeUnsaved() == [QuoteSeries(later), QuoteSeries(ether)])
        #expect(sut.takeUnsaved() == [] && !sut.hasUnsaved)
        for quote in [later, ether, sol] { #expect(sut.quote(quote.subject, at: nil) == quote) }
    }

    @Test func `candles that could not be saved are saved later, together with newer candles`() {
        var sut = makeSUT(knowing: anyCandle("1.00", day: 0))
        for series in sut.takeUnsaved() { sut.markUnsaved(series.subject) }
        sut.update(anyCandle("2.00", day: 1))
        #expect(sut.takeUnsaved().map { $0.quotes.map(\.quote.price.text) } == [["1.00", "2.00"]])
    }

    /// The source in the failure of kind `disputed`, the reading's member `disputed`, and whether the quote
    /// is stored.
    @Test(
        arguments: [
            ("binance", nil, false), ("coinbase", nil, true), ("binance", true, false),
            ("binance", false, true),
        ] as [(String, Bool?, Bool)])
    func
        `a disputed quote passes through but is neither stored nor substituted; a quote that outvotes others is stored`(
            source: String, isDisputed: Bool?, isStored: Bool
        )
    {
        // Given a known quote, and a reading with a disputed quote or with a quote that outvotes others
        let dispute = Failure(source: source, kind: .disputed, message: "binance 27550.00, coinbase 68901.23")
        var reading = Reading(answering: anyTick(), anyQuote("27550.00"), from: "binance", after: [dispute])
        reading.ownDispute = isDisputed
        var sut = makeSUT(knowing: known)
        _ = sut.takeUnsaved()
        // When the reading passes through the cache
        let flagged = sut.flagged(reading, at: anyTime())
        sut.update(flagged)
        // Then the reading keeps its quote, and only a quote that outvotes others replaces the known quote
        #expect(flagged.quote == reading.quote && flagged.error == false)
        #expect(sut.hasUnsaved == isStored)
        #expect(sut.flagged(failed, at: anyTime()).quote == (isStored ? reading.quote : known.quote))
    }

    @Test func `a substituted quote keeps its range and stays marked as closed and made up`() {
        let range = CandleRange(open: Price("1"), high: Price("3"), low: Price("0.5"), volume: Volume("0"))
        let quote = Quote(
            price: Price("2")!, currency: .usDollar, timestamp: anyBeginning(day: 1), range: range)
        var known = StoredQuote(
            symbol: .bitcoin, candle: .day, at: anyBeginning(), quote: quote, isClosed: true)
        known.isMadeUp = true
        let flagged = makeSUT(knowing: known).flagged(candleReading(day: 0), at: anyTime())
        #expect(flagged.quote?.range == range && flagged.isClosed && flagged.isMadeUp)
    }

    @Test func `a real price replaces a made-up price and is not marked as made up`() {
        var madeUp = known
        madeUp.isMadeUp = true
        var sut = makeSUT(knowing: madeUp)
        #expect(sut.flagged(failed, at: anyTime()).isMadeUp)
        sut.update(known)
        #expect(!sut.flagged(failed, at: anyTime()).isMadeUp)
    }

    private func candleReading(day: Int) -> Reading { Reading(answering: dayTick(day: day), [anyFailure()]) }

    @Test(
        arguments: [
            (anyTick(), "68901.23", "coinbase"), (anyTick(symbol: "BTC-USD"), "68901.23", "coinbase"),
            (anyTick(symbol: "ETH-USD"), nil, nil), (dayTick(day: 0), "1.00", "kraken"),
            (dayTick(day: 1), "2.00", "kraken"), (dayTick(day: 2), nil, nil),
            (dayTick(symbol: "ETH-USD"), nil, nil), (candleTick(at: "2026-11-21T00:00", .hour), nil, nil),
        ] as [(Tick, String?, String?)])
    func `only a quote of the same symbol and candle is substituted`(
        tick: Tick, price: String?, source: String?
    ) {
        let sut = makeSUT(knowing: known, anyCandle("1.00", day: 0), anyCandle("2.00", day: 1))
        let flagged = sut.flagged(Reading(answering: tick, [anyFailure()]), at: anyTime())
        #expect(flagged.quote?.price.text == price && flagged.source == source && flagged.error == true)
    }

    @Test func `a later quote replaces an open candle's quote but never a closed candle's quote`() {
        let (open, later) = (anyCandle("1.00", openSince: 2), anyCandle("2.00", openSince: 1))
        let (closed, other) = (anyCandle("3.00"), anyCandle("4.00"))
        var prices: [String?] = []
        var sut = makeSUT()
        for candle in [open, later, closed, other, open] {
            sut.update(candle)
            _ = sut.takeUnsaved()
            prices.append(sut.flagged(candleReading(day: 0), at: anyTime()).quote?.price.text)
        }
        #expect(prices == ["1.00", "2.00", "3.00", "3.00", "3.00"])
    }

    @Test func `the age limit applies to open candles but not to closed candles`() {
        let sut = makeSUT(.seconds(60), knowing: anyCandle(day: 0), anyCandle(day: 1, openSince: 1))
        let later = anyBeginning(day: 400)
        #expect(sut.flagged(candleReading(day: 0), at: later).quote != nil)
        #expect(sut.flagged(candleReading(day: 1), at: later).quote == nil)
    }

    @Test(arguments: [nil, anyTime()])
    func `no candle is stored or substituted unless a tick's time is a candle's start`(at time: Timestamp?) {
        let tick = Tick(number: 13, at: time, candle: .day)
        var sut = makeSUT(knowing: known, anyCandle())
        _ = sut.takeUnsaved()
        sut.update(Reading(answering: tick, anyQuote(), from: "kraken"))
        #expect(!sut.hasUnsaved)
        #expect(sut.flagged(Reading(answering: tick, [anyFailure()]), at: anyTime()).quote == nil)
    }

    @Test(arguments: [
        (59_999, true), (60_000, false), (60_001, false),
        // If the time of a quote is more than a minute in the future, the age of the quote is unknown.
        (-60_000, true), (-60_001, false), (-3_600_000_000, false),
    ])
    func `with an age limit, a quote that is too old or over a minute in the future is not substituted`(
        age: Int, isSubstituted: Bool
    ) {
        let flagged = makeSUT(.seconds(60), knowing: known).flagged(failed, at: anyTime(age))
        #expect((flagged.quote != nil) == isSubstituted && (flagged.source != nil) == isSubstituted)
        #expect(flagged.error == true)
        #expect(makeSUT(knowing: known).flagged(failed, at: anyTime(age)).quote != nil)
    }

    @Test func `a stale quote from another cache is passed on unchanged and is not stored`() {
        var stale = Reading(answering: anyTick(), anyQuote("1.00"), from: "binance", after: [anyFailure()])
        stale.error = true
        #expect(makeSUT(knowing: known).flagged(stale, at: anyTime()) == stale)
        var sut = makeSUT()
        sut.update(stale)
        #expect(!sut.hasUnsaved)
    }
}

extension LastQuotes {
    fileprivate func flagged(_ reading: Reading, at now: Timestamp) -> Reading {
        var reading = reading
        flag(&reading, at: now)
        return reading
    }
}
