import Foundation
import PipeCommon
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// The behavior that every store must have, however it stores the quotes.
@Suite(.unit) struct QuoteStoreContractTests {
    private let sut: FileQuoteStore
    private let folder = TemporaryFolder(inMemory: true)

    init() {
        sut = FileQuoteStore(location: .directory("\(folder.path)/new/btc-price"))
    }

    @Test func `if a symbol has no stored quote, the store returns nil instead of throwing an error`() throws
    {
        #expect(try sut.load(.bitcoin) == nil)
        try sut.save(newQuote("1.00", symbol: Symbol("ETH-USD")!))
        #expect(try sut.load(.bitcoin) == nil)
    }

    @Test func `a saved quote can be loaded repeatedly, even after a sweep`() throws {
        let quote = newQuote("68901.23")
        try sut.save(quote)
        #expect(try sut.load(.bitcoin) == quote)
        sut.sweep()
        #expect(try sut.load(.bitcoin) == quote)
    }

    /// The ages, in milliseconds, of quotes that are saved one after the other, and the age of the quote that
    /// remains.
    @Test(.fault(26), arguments: [([1000, 0, 500], 0), ([-3_600_000, 0], 0)])
    func `a quote never replaces a newer quote unless the newer quote is from the future`(
        ages: [Int], stored: Int
    ) throws {
        for age in ages { try sut.save(newQuote("\(age + 3_600_001).00", age: age)) }
        #expect(try sut.load(.bitcoin)?.quote.price.text == "\(stored + 3_600_001).00")
    }

    @Test func `candles are stored in chronological order and separately from the quote`() throws {
        let (quote, candles) = (newQuote("1.00"), (0..<3).map { anyCandle("2.00", day: $0) })
        try sut.save(quote)
        for candle in candles.reversed() { try sut.save(candle) }
        #expect(try sut.load(.bitcoin) == quote)
        #expect(try sut.load(Subject(.bitcoin, .day)) == LoadedSeries(series: QuoteSeries(candles)))
        #expect(try sut.load(Subject(.bitcoin, .hour)) == nil)
    }

    @Test
    func `a newer or final quote replaces an open candle's quote but never a closed candle's quote`() throws {
        var prices: [String?] = []
        for candle in [
            anyCandle("1.00", openSince: 2000), anyCandle("2.00", openSince: 1000),
            anyCandle("3.00", openSince: 1500), anyCandle("4.00"), anyCandle("5.00"),
            anyCandle("6.00", openSince: -1),
        ] {
            try sut.save(candle)
            prices.append(try sut.load(Subject(.bitcoin, .day))?.series.newest?.quote.price.text)
        }
        #expect(prices == ["1.00", "2.00", "2.00", "4.00", "4.00", "4.00"])
    }

    @Test func `only the newest 1,000 candles are kept`() throws {
        let candles = (0..<2500).map { anyCandle(day: $0) }
        try sut.save(QuoteSeries(Array(candles[1000...])))
        try sut.save(QuoteSeries(Array(candles[..<1000])))
        let loaded = try sut.load(Subject(.bitcoin, .day))
        #expect(loaded?.series.quotes.elementsEqual(candles[1500...]) == true)
    }

    @Test(.fault(25, 51))
    func `the candles of two writers are merged, and an older quote never replaces a newer quote`() throws {
        let quotes = (0..<200).map { newQuote("\($0 + 1).00", age: 1000 - $0) }
        let candles = (0..<60).map { anyCandle("\($0 + 1).00", day: $0) }
        let problems = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { writer in
            var seen = Timestamp(milliseconds: 0)
            for index in stride(from: writer, to: 200, by: 2) {
                do throws(StoreError) {
                    try save(quotes[index])
                    if index < candles.count { try save(candles[index]) }
                    let time = try sut.load(.bitcoin)!.quote.timestamp
                    let isBack = time < max(seen, quotes[index].quote.timestamp)
                    problems.withLock { $0 += isBack ? ["back in time after \(index)"] : [] }
                    seen = time
                } catch { problems.withLock { $0.append(error.reason) } }
            }
        }
        #expect(problems.withLock { $0 } == [])
        #expect(try sut.load(.bitcoin) == quotes.last)
        #expect(try sut.load(Subject(.bitcoin, .day)) == LoadedSeries(series: QuoteSeries(candles)))
    }

    /// Tries up to 20 times to save a quote, because on a slow disk the other writer may lock the file for a
    /// while.
    private func save(_ quote: StoredQuote) throws(StoreError) {
        for _ in 0..<20 {
            do throws(StoreError) { return try sut.save(quote) } catch {
                guard error.cause == .passing else { throw error }
            }
        }
        throw StoreError(reason: "the other writer does not finish")
    }
}
