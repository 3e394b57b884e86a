import PipeCommon
import TestSupport

@testable import price_cache

/// Shorthands that load the last quote of a symbol or save a single quote.
extension FileQuoteStore {
    func load(_ symbol: Symbol) throws(StoreError) -> StoredQuote? { try load(Subject(symbol))?.series[nil] }

    func save(_ quote: StoredQuote) throws(StoreError) { try save(QuoteSeries(quote)) }
}

extension StoredQuote {
    init(
        symbol: Symbol = .bitcoin, candle: Candle? = nil, at beginning: Timestamp? = nil,
        source: String = "binance", quote: Quote, isClosed: Bool = false
    ) {
        self.init(
            Subject(symbol, candle), at: beginning, source: source, quote: quote, isClosed: isClosed)
    }

    /// A reading that contains the quote.
    var reading: Reading {
        let tick = Tick(at: beginning, symbol: subject.symbol, candle: subject.candle)
        var reading = Reading(answering: tick, quote, from: source)
        (reading.isClosed, reading.isMadeUp) = (isClosed, isMadeUp)
        return reading
    }
}

extension LastQuotes {
    mutating func update(_ stored: StoredQuote) { update(stored.reading) }
}

extension QuoteSeries {
    init(_ quotes: [StoredQuote]) {
        self.init(quotes[0].subject)
        for stored in quotes { _ = update(stored.reading) }
    }
}

/// A candle, by default a daily candle. The candle of `day` 0 contains `anyTime()`. The candle of `day` 2
/// begins two candle lengths later.
///
/// - Parameter age: how long before the candle's end the price was received, in milliseconds; 0 for the final
///   close.
func anyCandle(
    _ price: String = "68901.23", day: Int = 0, openSince age: Int = 0, symbol: Symbol = .bitcoin,
    candle: Candle = .day
) -> StoredQuote {
    let beginning = anyBeginning(day: day, candle)
    let time = beginning + candle.length + .milliseconds(-age)
    return StoredQuote(
        symbol: symbol, candle: candle, at: beginning, source: "kraken", quote: anyQuote(price, at: time),
        isClosed: age == 0)
}

/// The beginning of the candle that `anyCandle` returns for the same day and candle length.
func anyBeginning(day: Int = 0, _ candle: Candle = .day) -> Timestamp {
    candle.beginning(of: anyTime()) + candle.length * day
}

/// A quote that was received `age` milliseconds ago.
func newQuote(_ price: String = "68901.23", age: Int = 0, symbol: Symbol = .bitcoin) -> StoredQuote {
    StoredQuote(symbol: symbol, quote: anyQuote(price, at: .now() + .milliseconds(-age)))
}
