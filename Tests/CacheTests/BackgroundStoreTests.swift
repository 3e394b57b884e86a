import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// The store on a disk that fails or hangs.
@Suite(.unit) struct BackgroundStoreTests {
    private let folder = TemporaryFolder()
    private let store = InMemoryStore()
    private let ether = Symbol("ETH-USD")!

    private func makeSUT() throws -> BackgroundStore {
        let errors = open("\(folder.path)/errors", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        let diagnostics = Diagnostics(program: "test", descriptor: errors)
        return try BackgroundStore(store, diagnostics: diagnostics)
    }

    private var errors: [Substring] { folder.contents("errors")?.split(separator: "\n") ?? [] }

    private func quote(_ price: String, symbol: Symbol = .bitcoin) -> StoredQuote {
        StoredQuote(symbol: symbol, source: "binance", quote: anyQuote(price, at: .now()))
    }

    @Test func `a healthy disk gives the stored quote at once`() throws {
        let quote = quote("1.00")
        try store.save(quote)
        #expect(try makeSUT().quote(for: .bitcoin) == quote)
        #expect(errors == [])
    }

    @Test func `nothing stored is not a problem, and is looked up again`() throws {
        let sut = try makeSUT()
        #expect(sut.quote(for: .bitcoin) == nil)
        let quote = quote("1.00")
        try store.save(quote)
        #expect(sut.quote(for: .bitcoin) == quote)
        #expect(errors == [])
    }

    @Test(.fault(23))
    func `a quote that is loaded too slowly is available later, and the delay is reported once`() throws {
        // Given
        let sut = try makeSUT()
        let quote = quote("1.00")
        try store.save(quote)
        store.hang()
        // When
        let start = ContinuousClock.now
        #expect(sut.quote(for: .bitcoin) == nil)
        #expect(sut.quote(for: .bitcoin) == nil)
        let elapsed = ContinuousClock.now - start
        store.recover()
        sut.finish()
        // Then
        #expect(sut.quote(for: .bitcoin) == quote)
        #expect(elapsed >= .milliseconds(100) && elapsed < .seconds(2))
        #expect(
            errors == ["test: warning: still loading the stored quote for BTC-USD; the disk is slow"])
    }

    @Test(.fault(23)) func `while the disk hangs, only the first symbol is waited for`() throws {
        let sut = try makeSUT()
        store.hang()
        _ = sut.quote(for: .bitcoin)
        let start = ContinuousClock.now
        for number in 0..<50 { #expect(sut.quote(for: Symbol("S\(number)-USD")!) == nil) }
        #expect(ContinuousClock.now - start < .seconds(2))
        store.recover()
        sut.finish()
    }

    @Test func `while the disk hangs, only the newest quote of each symbol is kept`() throws {
        // Given a save that hangs
        let sut = try makeSUT()
        store.hang()
        sut.save([.bitcoin: quote("1.00")])
        let deadline = Deadline(in: .seconds(20))
        while store.saved.isEmpty, !deadline.hasPassed() { usleep(1000) }
        // When
        let newest = (quote("3.00"), quote("4.00", symbol: ether))
        sut.save([.bitcoin: quote("2.00"), ether: newest.1])
        sut.save([.bitcoin: newest.0])
        store.recover()
        sut.finish()
        // Then
        #expect(store.saved.count == 3)
        #expect(Set(store.saved.dropFirst().flatMap(\.quotes)) == [newest.0, newest.1])
    }

    @Test func `a fast stream of quotes is saved about once a second, and the last quote at the end`() throws
    {
        // Given
        let sut = try makeSUT()
        let quotes = (1...50).map { quote("\($0).00") }
        // When they follow each other immediately
        for quote in quotes {
            sut.save([.bitcoin: quote])
            // The first one is saved at once, but by another thread.
            if quote == quotes.first { sut.finish() }
            usleep(1000)
        }
        sut.finish()
        // Then
        #expect(
            store.saved.first?.quotes.first == quotes.first && store.saved.last?.quotes == quotes.suffix(1))
        #expect((2...3).contains(store.saved.count))
    }

    @Test func `the pause after a save is longer the more symbols there are`() throws {
        // Given
        let sut = try makeSUT()
        let quotes = (1...25).map { quote("1.00", symbol: Symbol("S\($0)-USD")!) }
        let series = Dictionary(uniqueKeysWithValues: quotes.map { ($0.key.series, QuoteSeries($0)) })
        let start = Deadline.Instant.now
        sut.save(series, at: start)
        sut.finish()
        // When
        sut.save(series, at: start + .milliseconds(2499))
        // Then
        #expect(store.saved.count == 25)
        sut.save(series, at: start + .milliseconds(2500))
        sut.finish()
        #expect(store.saved.count == 50)
    }

    @Test func `a burst of candles is saved in one piece`() throws {
        let sut = try makeSUT()
        let candles = (0..<1000).map { anyCandle(day: $0) }
        for candle in candles {
            sut.save([candle.key.series: QuoteSeries(candle)])
            if candle == candles.first { sut.finish() }
        }
        sut.finish()
        #expect((2...4).contains(store.saved.count))
        #expect(try store.load(Subject(.bitcoin, .day))?.series.quotes == candles[...])
    }

    @Test(.fault(22)) func `a problem is reported when it begins or changes`() throws {
        let sut = try makeSUT()
        for reason in ["disk full", "disk full", "disk gone", nil, "disk full"] {
            store.fail(reason)
            sut.save([.bitcoin: quote("1.00")])
            sut.finish()
        }
        #expect(errors == ["test: error: disk full", "test: error: disk gone", "test: error: disk full"])
    }

    @Test func `a stored quote that cannot be loaded is reported once`() throws {
        let sut = try makeSUT()
        store.fail("cannot use it")
        for _ in 0..<3 { #expect(sut.quote(for: .bitcoin) == nil) }
        #expect(errors == ["test: warning: cannot use it"])
    }
}

extension BackgroundStore {
    fileprivate func quote(for symbol: Symbol) -> StoredQuote? {
        series(Subject(symbol))?[nil]
    }

    fileprivate func save(_ quotes: [Symbol: StoredQuote]) {
        save(Dictionary(uniqueKeysWithValues: quotes.map { (Subject($0), QuoteSeries($1)) }))
    }
}
