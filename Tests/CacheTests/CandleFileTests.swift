import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// Candle files that are damaged, misplaced, changed by another program, or as large as possible.
@Suite(.unit) struct CandleFileTests {
    private static let candles = (0..<4).map { anyCandle("\(68_901 + $0).23", day: $0) }
    private let folder = TemporaryFolder(inMemory: true)
    private let name = Subject(.bitcoin, .day)
    private var path: String { "\(folder.path)/BTC-USD~1d.json" }
    private var sut: FileQuoteStore { FileQuoteStore(location: .directory(folder.path)) }

    /// The content of a file that stores these candles.
    private static func bytes(_ candles: [StoredQuote] = candles) -> [UInt8] {
        SeriesText.bytes(of: QuoteSeries(candles))
    }

    private func load(_ bytes: [UInt8]) throws -> LoadedSeries {
        #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
        return try #require(try sut.load(name))
    }

    @Test(.fault(51)) func `duplicate lines are dropped, and lines out of order are sorted`() throws {
        let loaded = try load(Self.bytes() + Self.bytes(Self.candles.reversed()) + Self.bytes())
        #expect(loaded == LoadedSeries(series: QuoteSeries(Self.candles)))
    }

    @Test(
        .fault(51),
        arguments: [
            (Array("rubbish\n".utf8), "not a JSON object"),
            (bytes([anyCandle(day: 7, symbol: Symbol("ETH-USD")!)]), "it contains a quote for ETH-USD"),
        ])
    func `the good lines of a damaged file are used, and the next save drops the bad lines`(
        bad: [UInt8], reason: String
    ) throws {
        let good = QuoteSeries([Self.candles[0], Self.candles[1], Self.candles[3]])
        let loaded = try load(Self.bytes(Array(Self.candles[..<2])) + bad + Self.bytes([Self.candles[3]]))
        #expect(loaded.series == good)
        #expect(loaded.problem?.reason.hasPrefix("cannot use all of \(path): line 3: \(reason)") == true)
        try sut.save(Self.candles[2])
        #expect(try sut.load(name) == LoadedSeries(series: QuoteSeries(Self.candles)))
    }

    @Test(arguments: [1, 9])
    func `a quote's file that contains candles is neither used nor replaced`(copies: Int) throws {
        // Given candles of BTC-USD in the file for the quote of BTC-USD.1d
        let text = String(
            decoding: (0..<copies).flatMap { _ in Self.bytes((0..<5).map { anyCandle(day: $0) }) },
            as: UTF8.self)
        #expect((text.utf8.count > 4096) == (copies > 1))
        folder.write("BTC-USD.1d.json", text)
        let quote = StoredQuote(symbol: Symbol("BTC-USD.1d")!, source: "kraken", quote: anyQuote("9.00"))
        // When the store is swept and then fails to load and to save the quote
        sut.sweep()
        let reason = copies > 1 ? "too large for a quote" : "unexpected text after the value"
        #expect { try sut.load(quote.subject) } throws: { error in
            let error = error as? StoreError
            return error?.cause == .foreign && error?.problem.contains(reason) == true
        }
        #expect(throws: StoreError.self) { try sut.save(quote) }
        // Then the file is unchanged
        #expect(folder.contents("BTC-USD.1d.json") == text)
    }

    @Test func `an empty file is rejected`() {
        #expect(throws: StoreError(reason: "cannot use \(path): it is empty")) { try load([]) }
    }

    /// The cause of the error on each read (nil for no error), and how often the file is read when its contents are
    /// requested twice after a change.
    @Test(
        .fault(60),
        arguments: [(nil, 1), (.damaged, 1), (.passing, 2), (.foreign, 2)] as [(StoreError.Cause?, Int)])
    func `an unchanged file is read again only if loading failed for a reason other than damage`(
        cause: StoreError.Cause?, reads: Int
    ) {
        let files = LoadedFiles()
        var count = 0
        func read() -> StoreError.Cause? {
            do throws(StoreError) {
                _ = try files.series(name, at: path) { () throws(StoreError) in
                    count += 1
                    if let cause { throw StoreError(reason: "any", cause) }
                    return nil
                }
                return nil
            } catch { return error.cause }
        }
        #expect(read() == nil && count == 0, "the file does not exist")
        for round in 1...3 {
            folder.write("BTC-USD~1d.json", String(repeating: "x", count: round))
            for _ in 0..<2 { #expect(read() == cause) }
            #expect(count == round * reads)
        }
    }

    @Test func `1,000 candles can be saved and loaded even if every line is as long as possible`() throws {
        let longest = String(repeating: "M", count: 32)
        let price = Price("999999999999.999999999999")!
        let quote = Quote(
            price: price, currency: Currency("ABCDE")!, timestamp: anyTime(), market: InlineText(longest),
            range: CandleRange(open: price, high: price, low: price, volume: Volume("999999\(price.text)")))
        let source = String(repeating: "\u{1F4B0}", count: 64)
        let subject = Subject(Symbol(longest)!, .quarterHour)
        let quotes = (0..<1000).map { anyBeginning(day: $0, .quarterHour) }.map {
            StoredQuote(subject, at: $0, source: source, quote: quote, isClosed: true, isMadeUp: true)
        }
        try sut.save(QuoteSeries(quotes))
        #expect(try sut.load(subject)?.series.quotes.count == 1000)
    }
}
