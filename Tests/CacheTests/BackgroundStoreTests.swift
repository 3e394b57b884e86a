import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// The background store on a healthy disk, and on a disk that fails or hangs.
@Suite(.unit) struct BackgroundStoreTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let store = InMemoryStore()
    private let ether = Symbol("ETH-USD")!

    private func makeSUT(_ quotes: StoredQuote...) -> SUT {
        let errors = open("\(folder.path)/errors", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
        let diagnostics = Diagnostics(program: "test", descriptor: errors)
        let sut = SUT(BackgroundStore(diagnostics: diagnostics, perform: store.perform))
        for quote in quotes { sut.quotes.update(quote) }
        return sut
    }

    private var errors: [Substring] { folder.contents("errors")?.split(separator: "\n") ?? [] }

    @Test
    func `a missing quote is no problem and is looked up again; a healthy disk returns a quote immediately`()
        throws
    {
        let sut = makeSUT()
        #expect(sut.quote(for: .bitcoin) == nil)
        let quote = newQuote("1.00")
        try store.save(quote)
        #expect(sut.quote(for: .bitcoin) == quote)
        #expect(errors == [])
    }

    @Test(.fault(23))
    func `a quote that loads too slowly is available later, and the delay is reported once`() throws {
        // Given
        let sut = makeSUT()
        let quote = newQuote("1.00")
        try store.save(quote)
        store.hang()
        // When
        let start = ContinuousClock.now
        #expect(sut.quote(for: .bitcoin) == nil)
        #expect(sut.quote(for: .bitcoin) == nil)
        let elapsed = ContinuousClock.now - start
        store.recover()
        sut.store.disk.wait()
        // Then
        #expect(sut.quote(for: .bitcoin) == quote)
        #expect(elapsed >= .milliseconds(100) && elapsed < .seconds(2))
        #expect(
            errors == ["test: warning: still loading the stored quote for BTC-USD; the disk is slow"])
    }

    @Test(.fault(23)) func `while the disk hangs, only the first symbol is waited for`() throws {
        let sut = makeSUT()
        store.hang()
        _ = sut.quote(for: .bitcoin)
        let start = ContinuousClock.now
        for number in 0..<50 { #expect(sut.quote(for: Symbol("S\(number)-USD")!) == nil) }
        #expect(ContinuousClock.now - start < .seconds(2))
        store.recover()
        sut.store.disk.wait()
    }

    @Test func `while the disk hangs, only the newest quote of each symbol is kept`() throws {
        // Given a save that hangs
        let sut = makeSUT(newQuote("1.00"))
        store.hang()
        #expect(!sut.save())
        let deadline = Deadline(in: .seconds(20))
        while store.saved.isEmpty, !deadline.hasPassed() { usleep(1000) }
        // When
        let newest = [newQuote("3.00"), newQuote("4.00", symbol: ether)]
        for quote in [newQuote("2.00"), newest[1], newest[0]] {
            sut.quotes.update(quote)
            #expect(!sut.save())
        }
        store.recover()
        #expect(sut.finish())
        // Then
        #expect(store.saved.dropFirst().flatMap(\.quotes) == newest)
    }

    @Test func `a fast stream of quotes is saved about once a second, and the last quote at the end`() {
        // Given
        let sut = makeSUT()
        let (start, all) = (Deadline.Instant.now, (1...50).map { newQuote("\($0).00") })
        // When one arrives every 40 ms, and each save ends before the next quote
        for (index, quote) in all.enumerated() {
            sut.quotes.update(quote)
            _ = sut.save(at: start + .milliseconds(40 * index))
            sut.store.disk.wait()
        }
        #expect(sut.finish())
        // Then
        #expect(store.saved.flatMap(\.quotes) == [all[0], all[23], all[46], all[49]])
    }

    @Test func `the pause after a save grows with the number of symbols`() {
        // Given
        let sut = makeSUT()
        let symbols = (1...25).map { Symbol("S\($0)-USD")! }
        func save(_ price: String, at time: Deadline.Instant) -> Int {
            for symbol in symbols { sut.quotes.update(newQuote(price, symbol: symbol)) }
            _ = sut.save(at: time)
            sut.store.disk.wait()
            return store.saved.count
        }
        let start = Deadline.Instant.now
        // When, then
        #expect(save("1.00", at: start) == 25)
        #expect(save("2.00", at: start + .milliseconds(2499)) == 25)
        #expect(save("3.00", at: start + .milliseconds(2500)) == 50)
    }

    @Test func `the rest of a burst of candles is saved in one piece`() throws {
        let sut = makeSUT()
        let candles = (0..<1000).map { anyCandle(day: $0) }
        sut.quotes.update(candles[0])
        let start = Deadline.Instant.now
        for candle in candles {
            sut.quotes.update(candle)
            _ = sut.save(at: start)
        }
        #expect(sut.finish())
        #expect(store.saved.count == 2)
        #expect(try store.load(Subject(.bitcoin, .day))?.series.quotes == candles[...])
    }

    // MARK: saves that fail

    @Test(.fault(22)) func `a problem is reported when it begins or changes`() {
        let sut = makeSUT()
        for (round, reason) in ["disk full", "disk full", "disk gone", nil, "disk full"].enumerated() {
            store.fail(reason)
            sut.quotes.update(newQuote("\(round + 1).00"))
            #expect(sut.finish() == (reason == nil))
        }
        #expect(errors == ["test: error: disk full", "test: error: disk gone", "test: error: disk full"])
    }

    @Test(.fault(22)) func `candles that could not be saved are saved later, even if nothing else arrives`()
        throws
    {
        // Given
        let sut = makeSUT()
        let candles = (0..<3).map { anyCandle(day: $0) }
        sut.quotes.update(candles[0])
        sut.quotes.update(candles[1])
        let start = Deadline.Instant.now
        store.fail("disk full", .passing)
        _ = sut.save(at: start)
        sut.store.disk.wait()
        store.fail(nil)
        // When
        #expect(!sut.save(at: start + .milliseconds(899)))
        #expect(!sut.save(at: start + .milliseconds(900)))
        sut.store.disk.wait()
        // Then
        #expect(sut.save(at: start + .milliseconds(1800)))
        #expect(try store.load(Subject(.bitcoin, .day))?.series.quotes == candles[..<2])
    }

    @Test(.fault(22)) func `at the end, a save that fails temporarily is repeated until it succeeds`()
        throws
    {
        let quote = newQuote("1.00")
        let sut = makeSUT()
        store.fail("disk full", .passing)
        Thread.detachNewThread { [store] in
            while store.saved.count < 3 { usleep(1000) }
            store.fail(nil)
        }
        sut.quotes.update(quote)
        #expect(sut.finish(patience: .seconds(20)))
        #expect(try store.load(.bitcoin) == quote && errors == ["test: error: disk full"])
    }

    @Test(.fault(22)) func `at the end, a save that cannot succeed is not repeated`() {
        let sut = makeSUT()
        store.fail("no such directory", .lasting)
        sut.quotes.update(newQuote("1.00"))
        #expect(!sut.finish(patience: .seconds(20)))
        #expect(store.saved.count == 1)
    }

    @Test func `a stored quote that cannot be loaded is reported once`() throws {
        let sut = makeSUT()
        store.fail("cannot use it")
        for _ in 0..<3 { #expect(sut.quote(for: .bitcoin) == nil) }
        #expect(errors == ["test: warning: cannot use it"])
    }
}

/// The background store with the quotes that it loads and saves.
private final class SUT {
    private(set) var store: BackgroundStore
    var quotes = LastQuotes(ageLimit: AgeLimit(nil))

    init(_ store: BackgroundStore) {
        self.store = store
    }

    func quote(for symbol: Symbol) -> StoredQuote? {
        store.load(Subject(symbol))
        store.awaitLoads(of: &quotes)
        return quotes.quote(Subject(symbol), at: nil)
    }

    func save(at now: Deadline.Instant = .now) -> Bool { store.save(&quotes, at: now) }

    func finish(patience: Duration = .zero) -> Bool { store.finish(&quotes, patience: patience) }
}
