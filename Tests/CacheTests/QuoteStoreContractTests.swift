import Foundation
import PipeCommon
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// What a store promises, as one file and as a directory.
@Suite(.unit) struct QuoteStoreContractTests {
    struct Kind: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let make: @Sendable (TemporaryFolder) -> FileQuoteStore

        static let all = [
            Kind(testDescription: "one file") { FileQuoteStore(location: .file("\($0.path)/quote.json")) },
            Kind(testDescription: "a directory") {
                FileQuoteStore(location: .directory("\($0.path)/new/btc-price"))
            },
        ]
    }

    private let folder = TemporaryFolder(inMemory: true)

    @Test(arguments: Kind.all)
    func `an empty store returns no quote, and no error`(kind: Kind) throws {
        #expect(try kind.make(folder).load(.bitcoin) == nil)
    }

    @Test(arguments: Kind.all)
    func `a saved quote can be loaded any number of times`(kind: Kind) throws {
        let sut = kind.make(folder)
        let quote = newQuote("68901.23")
        try sut.save(quote)
        #expect(try sut.load(.bitcoin) == quote)
        #expect(try sut.load(.bitcoin) == quote)
    }

    @Test(arguments: Kind.all)
    func `a newer quote replaces an older quote, never the reverse`(kind: Kind) throws {
        let sut = kind.make(folder)
        let newest = newQuote("3.00")
        try sut.save(newQuote("2.00", age: 1000))
        try sut.save(newest)
        try sut.save(newQuote("1.00", age: 500))
        #expect(try sut.load(.bitcoin) == newest)
    }

    @Test(.fault(26), arguments: Kind.all)
    func `a quote that is an hour in the future is replaced by a current one`(kind: Kind) throws {
        let sut = kind.make(folder)
        let current = newQuote("2.00")
        try sut.save(newQuote("1.00", age: -3_600_000))
        try sut.save(current)
        #expect(try sut.load(.bitcoin) == current)
    }

    @Test(arguments: Kind.all)
    func `a quote is never loaded for another symbol`(kind: Kind) throws {
        let sut = kind.make(folder)
        try sut.save(newQuote("1.00", symbol: Symbol("ETH-USD")!))
        #expect((try? sut.load(.bitcoin)) == nil)
    }

    @Test(arguments: Kind.all)
    func `a sweep does not delete quotes`(kind: Kind) throws {
        let sut = kind.make(folder)
        let quote = newQuote("1.00")
        try sut.save(quote)
        sut.sweep()
        #expect(try sut.load(.bitcoin) == quote)
    }

    @Test(arguments: Kind.all)
    func `candles are kept beside the quote, ordered by time`(kind: Kind) throws {
        let sut = kind.make(folder)
        let (quote, candles) = (newQuote("1.00"), (0..<3).map { anyCandle("2.00", day: $0) })
        try sut.save(quote)
        for candle in candles.reversed() { try sut.save(candle) }
        #expect(try sut.load(.bitcoin) == quote)
        #expect(try sut.load(Subject(.bitcoin, .day)) == LoadedSeries(series: QuoteSeries(candles)))
        #expect(try sut.load(Subject(.bitcoin, .hour)) == nil)
    }

    @Test(arguments: Kind.all)
    func `a closed candle is never replaced; an open one is, by a newer or a closed one`(kind: Kind) throws {
        let sut = kind.make(folder)
        var prices: [String?] = []
        for candle in [
            anyCandle("1.00", openSince: 2000), anyCandle("2.00", openSince: 1000),
            anyCandle("3.00", openSince: 1500), anyCandle("4.00"), anyCandle("5.00"),
            anyCandle("6.00", openSince: 1),
        ] {
            try sut.save(candle)
            prices.append(try sut.load(Subject(.bitcoin, .day))?.series.newest?.quote.price.text)
        }
        #expect(prices == ["1.00", "2.00", "2.00", "4.00", "4.00", "4.00"])
    }

    @Test(arguments: Kind.all)
    func `the newest 1,000 candles are kept`(kind: Kind) throws {
        let sut = kind.make(folder)
        let candles = (0..<2500).map { anyCandle(day: $0) }
        try sut.save(QuoteSeries(Array(candles[1000...])))
        try sut.save(QuoteSeries(Array(candles[..<1000])))
        #expect(
            try sut.load(Subject(.bitcoin, .day))?.series.quotes.elementsEqual(candles[1500...]) == true)
    }

    @Test(.fault(51), arguments: Kind.all)
    func `the candles of two writers are merged`(kind: Kind) throws {
        let sut = kind.make(folder)
        let candles = (0..<60).map { anyCandle("\($0 + 1).00", day: $0) }
        let writers = TwoWriters(candles, sut)
        #expect(writers.end(in: 50) && writers.errors == [])
        #expect(try sut.load(Subject(.bitcoin, .day)) == LoadedSeries(series: QuoteSeries(candles)))
    }

    @Test(.fault(25), arguments: Kind.all)
    func `with two writers the stored quote never goes back in time`(kind: Kind) throws {
        let sut = kind.make(folder)
        let quotes = (0..<200).map { newQuote("\($0 + 1).00", age: 1000 - $0) }
        // When
        let writers = TwoWriters(quotes, sut)
        // Then
        let deadline = Deadline(in: .seconds(50))
        var seen: [Timestamp] = []
        while !writers.end(in: 0), !deadline.hasPassed() {
            if let quote = try sut.load(.bitcoin)?.quote { seen.append(quote.timestamp) }
        }
        #expect(!deadline.hasPassed() && seen == seen.sorted())
        #expect(writers.errors == [])
        #expect(try sut.load(.bitcoin) == quotes.last)
    }
}

/// Two threads that save every other quote each.
private final class TwoWriters: Sendable {
    private let group = DispatchGroup()
    private let reasons = Mutex<[String]>([])

    init(_ quotes: [StoredQuote], _ store: FileQuoteStore) {
        for start in 0..<2 {
            group.enter()
            Thread.detachNewThread { [self] in
                defer { group.leave() }
                for index in stride(from: start, to: quotes.count, by: 2) {
                    do throws(StoreError) { try save(quotes[index], to: store) } catch {
                        reasons.withLock { $0.append(error.reason) }
                    }
                }
            }
        }
    }

    var errors: [String] { reasons.withLock { $0 } }

    /// - Returns: whether both have saved all their quotes within this many seconds.
    func end(in seconds: Int) -> Bool {
        group.wait(timeout: .now() + .seconds(seconds)) == .success
    }

    /// Saves and tries again while the other writer holds the file on a slow disk.
    private func save(_ quote: StoredQuote, to store: FileQuoteStore) throws(StoreError) {
        for _ in 0..<20 {
            do throws(StoreError) { return try store.save(quote) } catch {
                guard error.cause == .passing else { throw error }
            }
        }
        throw StoreError(reason: "the other writer does not finish")
    }
}
