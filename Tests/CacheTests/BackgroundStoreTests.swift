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

    @Test func `if no quote is stored, no warning is printed, and the next request reads the store again`() {
        let sut = makeSUT()
        #expect(sut.quote(for: .bitcoin) == nil)
        let quote = newQuote("1.00")
        store[quote.subject] = QuoteSeries(quote)
        #expect(sut.quote(for: .bitcoin) == quote && errors == [])
    }

    @Test(.fault(23))
    func `a quote that loads too slowly for a request is used later, and each delay is reported once`() {
        let sut = makeSUT()
        for quote in [newQuote("1.00"), newQuote("2.00", symbol: ether)] {
            // Given a stored quote on a disk that hangs
            store[quote.subject] = QuoteSeries(quote)
            store.hang()
            // When the quote is requested 30 times before the disk recovers
            let start = ContinuousClock.now
            #expect((0..<30).allSatisfy { _ in sut.quote(for: quote.subject.symbol) == nil })
            #expect((Duration.milliseconds(100)..<Duration.seconds(2)).contains(ContinuousClock.now - start))
            for _ in 0..<2 { _ = sut.nextSave(at: sut.nextSave(at: .now) ?? .now) }
            store.recover()
            sut.store.disk.wait()
            // Then the next request gets the quote
            #expect(sut.quote(for: quote.subject.symbol) == quote)
        }
        // And one warning has been printed for each delay
        let warning = "loading stored quotes is taking longer than a second; the disk is slow"
        #expect(errors == ["test: warning: \(warning)", "test: warning: \(warning)"])
    }

    @Test(.fault(23)) func `while the disk hangs, only the first request for a quote waits`() {
        let (sut, quote) = (makeSUT(), newQuote("1.00", symbol: ether))
        store[quote.subject] = QuoteSeries(quote)
        store.hang()
        _ = sut.quote(for: .bitcoin)
        let start = ContinuousClock.now
        for number in 0..<50 { #expect(sut.quote(for: Symbol("S\(number)-USD")!) == nil) }
        #expect(ContinuousClock.now - start < .seconds(2))
        store.recover()
        sut.store.disk.wait()
        // Once all loads have finished, the store waits for the next load.
        #expect(sut.quote(for: ether) == quote)
    }

    @Test func `while the disk hangs, only the newest quote of each symbol is kept for saving`() {
        // Given a save that hangs
        let sut = makeSUT(newQuote("1.00"))
        store.hang()
        #expect(!sut.save())
        let deadline = Deadline(in: .seconds(20))
        while store.saved.isEmpty, !deadline.hasPassed() { usleep(1000) }
        // When newer quotes arrive before the disk recovers
        let newest = [newQuote("3.00"), newQuote("4.00", symbol: ether)]
        for quote in [newQuote("2.00"), newest[1], newest[0]] {
            sut.quotes.update(quote)
            #expect(!sut.save())
        }
        store.recover()
        #expect(sut.finish())
        // Then only the newest quote of each symbol is saved afterwards
        #expect(store.saved.dropFirst().flatMap(\.series.quotes) == newest)
    }

    @Test(arguments: [(1, 900), (9, 900), (10, 1000), (11, 1100), (25, 2500), (50, 5000), (100, 5000)])
    func `the pause after a save grows with the number of symbols, from 0.9 to 5 seconds`(
        symbols: Int, pause: Int
    ) {
        let sut = makeSUT()
        let start = Deadline.Instant.now
        for (time, saves) in [(0, 1), (pause - 1, 1), (pause, 2), (2 * pause, 3)] {
            for number in 1...symbols {
                sut.quotes.update(newQuote("\(time + 1).00", symbol: Symbol("S\(number)-USD")!))
            }
            _ = sut.save(at: start + .milliseconds(time))
            sut.store.disk.wait()
            // Only a save of at most ten files waits until the files are on the disk.
            #expect(store.saved.map(\.isSynced) == Array(repeating: symbols <= 10, count: saves * symbols))
        }
    }

    @Test func `after the first candle of a burst is saved, the other candles are saved together`() {
        let sut = makeSUT()
        let candles = (0..<1000).map { anyCandle(day: $0) }
        sut.quotes.update(candles[0])
        let start = Deadline.Instant.now
        for candle in candles {
            sut.quotes.update(candle)
            _ = sut.save(at: start)
        }
        #expect(sut.finish() && store.saved.count == 2)
        #expect(store[Subject(.bitcoin, .day)]?.quotes == candles[...])
    }

    // MARK: saves that fail

    @Test(.fault(22)) func `a problem with saving is reported when it begins or changes`() {
        let sut = makeSUT()
        for (round, reason) in ["disk full", "disk full", "disk gone", nil, "disk full"].enumerated() {
            store.fail(reason)
            sut.quotes.update(newQuote("\(round + 1).00"))
            #expect(sut.finish() == (reason == nil))
        }
        #expect(errors == ["test: error: disk full", "test: error: disk gone", "test: error: disk full"])
    }

    @Test(.fault(22)) func `candles that could not be saved are saved later, even if nothing else arrives`() {
        // Given two candles that could not be saved because the disk was full for a while
        let sut = makeSUT()
        let candles = (0..<3).map { anyCandle(day: $0) }
        for candle in candles[..<2] { sut.quotes.update(candle) }
        let start = Deadline.Instant.now
        store.fail("disk full", .passing)
        #expect(sut.nextSave(at: start) == start + .seconds(1))
        sut.store.disk.wait()
        store.fail(nil)
        // When the next save is due, 900 ms after the start of the failed save
        #expect(sut.nextSave(at: start + .milliseconds(899)) == start + .milliseconds(900))
        #expect(!sut.save(at: start + .milliseconds(900)))
        sut.store.disk.wait()
        // Then both candles are saved, although nothing else has arrived
        #expect(sut.save(at: start + .milliseconds(1800)))
        #expect(store[Subject(.bitcoin, .day)]?.quotes == candles[..<2])
    }

    @Test(.fault(22)) func `at the end of the program, a save that fails temporarily is retried`() {
        let quote = newQuote("1.00")
        let sut = makeSUT()
        store.fail("disk full", .passing)
        Thread.detachNewThread { [store] in
            while store.saved.count < 3 { usleep(1000) }
            store.fail(nil)
        }
        sut.quotes.update(quote)
        #expect(sut.finish(patience: .seconds(20)))
        #expect(store[Subject(.bitcoin)]?.newest == quote && errors == ["test: error: disk full"])
    }

    @Test(.fault(22)) func `at the end of the program, a save that cannot succeed is not retried`() {
        let sut = makeSUT()
        store.fail("no such directory", .lasting)
        sut.quotes.update(newQuote("1.00"))
        #expect(!sut.finish(patience: .seconds(20)) && store.saved.count == 1)
    }

    @Test func `a problem with loading and a problem with saving are each reported once`() {
        let sut = makeSUT(newQuote())
        store.fail("cannot use it")
        for _ in 0..<3 { _ = sut.quote(for: .bitcoin) }
        #expect(!sut.finish() && errors == ["test: warning: cannot use it", "test: error: cannot use it"])
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
        store.awaitLoads(of: &quotes, patience: .milliseconds(100))
        return quotes.quote(Subject(symbol), at: nil)
    }

    func save(at now: Deadline.Instant = .now) -> Bool { nextSave(at: now) == nil }

    func nextSave(at now: Deadline.Instant) -> Deadline.Instant? { store.save(&quotes, at: now)?.instant }

    func finish(patience: Duration = .zero) -> Bool { store.finish(&quotes, patience: patience) }
}
