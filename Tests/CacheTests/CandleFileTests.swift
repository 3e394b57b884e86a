import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// A candle file that was damaged or replaced: its good lines are used, or nothing.
@Suite(.unit) struct CandleFileTests {
    private static let candles = (0..<4).map { anyCandle("\(68_901 + $0).23", day: $0) }
    private let folder = TemporaryFolder(inMemory: true)
    private let name = Subject(.bitcoin, .day)
    private var path: String { "\(folder.path)/BTC-USD~1d.json" }
    private var sut: FileQuoteStore { FileQuoteStore(location: .directory(folder.path)) }

    /// The content of a file that stores these candles.
    private func bytes(_ candles: [StoredQuote] = candles) -> [UInt8] {
        SeriesText.bytes(of: QuoteSeries(candles))
    }

    private func load(_ bytes: [UInt8]) throws -> LoadedSeries {
        #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
        return try #require(try sut.load(name))
    }

    @Test func `each candle is stored as one line with a checksum, and only the user may read the file`()
        throws
    {
        try sut.save(QuoteSeries(Self.candles))
        let lines = folder.contents("BTC-USD~1d.json")?.split(separator: "\n") ?? []
        #expect(lines.count == 4 && lines.allSatisfy { $0.contains(/"check":"[0-9a-f]{8}"}$/) })
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["BTC-USD~1d.json"])
    }

    @Test(.fault(51)) func `the complete lines of a truncated file are used, wherever it is cut`() throws {
        let text = bytes()
        let ends = text.indices.filter { text[$0] == UInt8(ascii: "\n") }
        for end in text.indices {
            let whole = ends.count { $0 <= end }
            let loaded = try? SeriesText.series(name, in: Array(text[..<end]))
            #expect(loaded?.series.quotes.map { $0 } ?? [] == Array(Self.candles[..<whole]), "cut at \(end)")
            // A line that lacks only its line break is complete as well.
            let isCut = end != 0 && !ends.contains(end - 1) && !ends.contains(end)
            if whole > 0 { #expect((loaded?.problem != nil) == isCut, "cut at \(end)") }
        }
    }

    @Test(.fault(51)) func `no flipped bit changes the price of a candle`() throws {
        let text = bytes()
        for bit in 0..<text.count * 8 {
            var flipped = text
            flipped[bit / 8] ^= 1 << (bit % 8)
            guard let loaded = try? SeriesText.series(name, in: flipped) else {
                Issue.record("the other lines are not used, bit \(bit)")
                continue
            }
            let isWhole = loaded.series.quotes.elementsEqual(Self.candles)
            #expect(isWhole || loaded.problem != nil && loaded.series.quotes.count >= 2, "bit \(bit)")
            #expect(loaded.series.quotes.allSatisfy(Self.candles.contains), "bit \(bit)")
        }
    }

    @Test(.fault(51)) func `duplicate lines are dropped, and lines out of order are sorted`() throws {
        let loaded = try load(bytes() + bytes(Self.candles.reversed()) + bytes())
        #expect(loaded == LoadedSeries(series: QuoteSeries(Self.candles)))
    }

    @Test(.fault(51)) func `candles of another symbol or length, and quotes, are rejected with a reason`()
        throws
    {
        let ether = anyCandle("7.00", day: 7, symbol: Symbol("ETH-USD")!)
        let hour = anyCandle("8.00", day: 8, candle: .hour)
        let quote = StoredQuote(symbol: .bitcoin, source: "kraken", quote: anyQuote("9.00"))
        for (other, reason) in [
            (ether, "it holds a quote for ETH-USD"), (hour, "it holds another kind of quote"),
            (quote, "it holds another kind of quote"),
        ] {
            let alien = SeriesText.bytes(of: QuoteSeries(other))
            let loaded = try load(alien + bytes())
            #expect(loaded.series == QuoteSeries(Self.candles))
            #expect(loaded.problem?.reason == "cannot use all of \(path): line 1: \(reason)")
            #expect(throws: StoreError(reason: "cannot use \(path): \(reason)")) { try load(alien) }
            #expect(throws: StoreError(reason: "cannot write \(path): \(reason)")) {
                try sut.save(QuoteSeries(Self.candles))
            }
        }
    }

    @Test(.fault(51)) func `a file of 100 MB is rejected without being read, and the next save replaces it`()
        throws
    {
        _ = try load(bytes())
        #expect(truncate(path, 100_000_000) == 0)
        #expect(throws: StoreError(reason: "cannot use \(path): too large for candles")) {
            try sut.load(name)
        }
        try sut.save(QuoteSeries(Self.candles))
        #expect(try sut.load(name)?.series == QuoteSeries(Self.candles))
    }

    @Test(.fault(51)) func `the next save keeps the good lines and drops the bad lines`() throws {
        let later = anyCandle(day: 9)
        _ = try load(bytes(Array(Self.candles[..<2])) + Array("rubbish\n".utf8) + bytes([Self.candles[3]]))
        try sut.save(later)
        let expected = Self.candles[..<2] + [Self.candles[3], later]
        #expect(try sut.load(name) == LoadedSeries(series: QuoteSeries(Array(expected))))
    }

    @Test func `the quote of BTC-USD.1d and the candles of BTC-USD do not replace each other`() throws {
        let quote = StoredQuote(symbol: Symbol("BTC-USD.1d")!, source: "kraken", quote: anyQuote("9.00"))
        try sut.save(QuoteSeries(Self.candles))
        try sut.save(quote)
        #expect(try sut.load(name)?.series == QuoteSeries(Self.candles))
        #expect(try sut.load(Subject(quote.subject.symbol))?.series[nil] == quote)
    }

    @Test(arguments: [1, 9])
    func `a file that holds something else, however large, is rejected and not replaced`(copies: Int) throws {
        // Given the candles of BTC-USD under the name of another symbol's quote
        let text = String(
            decoding: (0..<copies).flatMap { _ in bytes((0..<5).map { anyCandle(day: $0) }) }, as: UTF8.self)
        #expect((text.utf8.count > 4096) == (copies > 1))
        folder.write("BTC-USD.1d.json", text)
        let quote = StoredQuote(symbol: Symbol("BTC-USD.1d")!, source: "kraken", quote: anyQuote("9.00"))
        // When
        sut.sweep()
        let reason = copies > 1 ? "too large for a quote" : "unexpected text after the value"
        #expect { try sut.load(quote.subject) } throws: { error in
            let error = error as? StoreError
            return error?.cause == .foreign && error?.problem.contains(reason) == true
        }
        #expect(throws: StoreError.self) { try sut.save(quote) }
        // Then
        #expect(folder.contents("BTC-USD.1d.json") == text)
    }

    @Test func `an empty file is rejected`() {
        #expect(throws: StoreError(reason: "cannot use \(path): it is empty")) { try load([]) }
    }

    @Test func `a file is read again only when it changes`() throws {
        let (files, store) = (LoadedFiles(), sut)
        var count = 0
        func read() throws {
            _ = try files.series(name, at: path) { () throws(StoreError) in
                count += 1
                return nil
            }
        }
        // When, then
        try read()
        #expect(count == 0, "there is no file")
        for day in 0..<3 {
            try store.save(anyCandle(day: day))
            for _ in 0..<3 { try read() }
            #expect(count == day + 1)
        }
    }

    @Test(.fault(60), arguments: [(StoreError.Cause.damaged, 1), (.passing, 2), (.foreign, 2)])
    func `a damaged file is remembered, a temporary error is not`(cause: StoreError.Cause, reads: Int) {
        folder.write("BTC-USD~1d.json", "any text")
        let files = LoadedFiles()
        var count = 0
        for _ in 0..<2 {
            #expect(throws: StoreError.self) {
                try files.series(name, at: path) { () throws(StoreError) in
                    count += 1
                    throw StoreError(reason: "any", cause)
                }
            }
        }
        #expect(count == reads)
    }

    @Test func `1,000 candles can be loaded again even if every line is as long as possible`() throws {
        let symbol = Symbol(String(repeating: "A", count: 32))!
        let quote = Quote(
            price: Price("999999999999.999999999999")!, currency: Currency("ABCDE")!, timestamp: anyTime(),
            market: InlineText(String(repeating: "M", count: 32)))
        let source = String(repeating: "\u{1F4B0}", count: 64)
        let quotes = (0..<1000).map {
            StoredQuote(
                symbol: symbol, candle: .quarterHour, at: anyBeginning(day: $0, .quarterHour), source: source,
                quote: quote)
        }
        try sut.save(QuoteSeries(quotes))
        #expect(try sut.load(Subject(symbol, .quarterHour))?.series.quotes.count == 1000)
    }
}
