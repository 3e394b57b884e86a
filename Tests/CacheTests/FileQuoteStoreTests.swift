import Foundation
import PipeCommon
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// How `FileQuoteStore` writes, reads, rejects and replaces its files. `QuoteStoreContractTests` tests the
/// behavior that does not depend on files.
@Suite(.unit) struct FileQuoteStoreTests {
    private let folder = TemporaryFolder(inMemory: true)
    private var path: String { "\(folder.path)/quote.json" }
    private var sut: FileQuoteStore { FileQuoteStore(location: .file(path)) }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
    }

    /// The last quote of a symbol, and a series of candles, each with the name of its file.
    private static let series = [
        (QuoteSeries(newQuote()), "quote.json"),
        (QuoteSeries((0..<4).map { anyCandle(day: $0) }), "quote~1d.json"),
    ]

    @Test(arguments: series)
    func `quotes are stored with checksums in files that only the user may read`(
        series: QuoteSeries, name: String
    ) throws {
        for _ in 0..<2 { try sut.save(series) }
        let lines = try #require(folder.contents(name)).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.dropLast().map { String($0.dropLast(20)) + "}" } == series.quotes.map(\.text))
        #expect(lines.dropLast().allSatisfy { $0.contains(/,"check":"[0-9a-f]{8}"}$/) } && lines.last == "")
        #expect(
            try FileQuoteStore(location: .file(path)).load(series.subject) == LoadedSeries(series: series))
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
        #expect(try attributes[.posixPermissions] as? Int == 0o600 && names == [name])
    }

    @Test(.fault(24, 51), arguments: series)
    func `a one-gigabyte file is rejected as too large, and the next save replaces the file`(
        series: QuoteSeries, name: String
    ) throws {
        try sut.save(series)
        let path = "\(folder.path)/\(name)"
        #expect(truncate(path, 1 << 30) == 0)
        let content = series.subject.candle == nil ? "a quote" : "candles"
        #expect(throws: StoreError(reason: "cannot use \(path): too large for \(content)")) {
            try sut.load(series.subject)
        }
        try sut.save(series)
        #expect(try sut.load(series.subject)?.series == series)
    }

    @Test(.fault(24, 51), arguments: series.map(\.0))
    func `wherever a file is cut off, its complete lines are used`(series: QuoteSeries) {
        let text = SeriesText.bytes(of: series)
        let ends = text.indices.filter { text[$0] == UInt8(ascii: "\n") }
        for end in text.indices {
            let whole = ends.count { $0 <= end }
            let loaded = try? SeriesText.series(series.subject, in: Array(text[..<end]))
            #expect(loaded?.series.quotes ?? [] == series.quotes[..<whole], "cut at \(end)")
            // A line that lacks only its line break is complete as well.
            let isCut = end != 0 && !ends.contains(end - 1) && !ends.contains(end)
            if whole > 0 { #expect((loaded?.problem != nil) == isCut, "cut at \(end)") }
        }
    }

    @Test(.fault(24, 51), arguments: series.map(\.0))
    func `a flipped bit makes at most two lines invalid and never changes a quote`(series: QuoteSeries) {
        let text = SeriesText.bytes(of: series)
        var rejected = 0
        for bit in stride(from: 0, to: text.count * 8, by: FullSize.step) {
            var flipped = text
            flipped[bit / 8] ^= 1 << (bit % 8)
            let loaded = try? SeriesText.series(series.subject, in: flipped)
            let quotes = loaded?.series.quotes ?? []
            // If the bit is in a line break, two lines are joined.
            #expect(quotes.count >= series.quotes.count - 2 && quotes.allSatisfy(series.quotes.contains))
            let isWhole = quotes == series.quotes
            #expect(isWhole || loaded?.problem != nil || quotes.isEmpty, "bit \(bit)")
            rejected += isWhole ? 0 : 1
        }
        #expect(rejected > text.count * 6 / FullSize.step)
    }

    private static let ether = Symbol("ETH-USD")!

    @Test(
        .fault(24, 51),
        arguments: [
            (newQuote(symbol: ether), nil, "it contains a quote for ETH-USD"),
            (anyCandle(symbol: ether), .day, "it contains a quote for ETH-USD"),
            (anyCandle(candle: .hour), .day, "it contains a 1h candle"),
            (newQuote(), .day, "it contains a quote that is not from a candle"),
        ] as [(StoredQuote, Candle?, String)])
    func `a file with a quote for another symbol or candle is neither used nor replaced`(
        stored: StoredQuote, candle: Candle?, reason: String
    ) throws {
        let wanted = candle == nil ? newQuote() : anyCandle()
        let path = Subject.path(path, candle)
        // The file lacks a checksum, as if it had been written by hand.
        folder.write(candle == nil ? "quote.json" : "quote~1d.json", stored.text)
        #expect(throws: StoreError(reason: "cannot use \(path): \(reason)")) { try sut.load(wanted.subject) }
        #expect(throws: StoreError(reason: "cannot write \(path): \(reason)")) {
            try sut.save(QuoteSeries(wanted))
        }
    }

    @Test(arguments: [
        ("rubbish", "not a JSON object"), ("{}", "contains neither a quote nor a failure"),
        ("\n", "not a JSON object"),
        (#"{"symbol":"BTC-USD","source":"x"}"#, "contains neither a quote nor a failure"),
        (String(repeating: " ", count: 5000) + "{}", "too large for a quote"),
        (newQuote().text.dropLast() + #","check":"00000000"}"# + " \t\r\n", "checksum mismatch"),
        (newQuote().text.replacing("68901.23", with: "0"), "quote: value is not a price"),
    ])
    func `a file without a valid quote is rejected with a reason, and the next save replaces the file`(
        text: String, reason: String
    ) throws {
        folder.write("quote.json", text)
        #expect { try sut.load(.bitcoin) } throws: {
            ($0 as? StoreError)?.reason.hasPrefix("cannot use \(path): \(reason)") == true
        }
        try sut.save(newQuote())
        #expect(try sut.load(.bitcoin) != nil)
    }

    @Test(.fault(22))
    func `a directory, FIFO or symbolic link in place of the file is neither read nor replaced`() throws {
        let target = "\(folder.path)/target"
        folder.write("target", newQuote().text)
        for make in [{ mkdir($0, 0o700) }, { mkfifo($0, 0o600) }, { symlink(target, $0) }]
            as [(String) -> Int32]
        {
            #expect(make(path) == 0)
            #expect(throws: StoreError.self) { try sut.load(.bitcoin) }
            #expect(throws: StoreError(reason: "cannot write \(path): not a regular file")) {
                try sut.save(newQuote())
            }
            #expect(try Set(names) == ["quote.json", "target"])
            remove(path)
        }
        #expect(folder.contents("target") != nil)
    }

    @Test func `concurrent writers can all store their quotes even if the directory is missing`() {
        for round in 0..<100 {
            let errors = Mutex<[String]>([])
            let location = StoreLocation.directory("\(folder.path)/\(round)/btc-price")
            DispatchQueue.concurrentPerform(iterations: 4) { index in
                let quote = newQuote(symbol: Symbol("COIN\(index)-USD")!)
                do throws(StoreError) { try FileQuoteStore(location: location).save(quote) } catch {
                    errors.withLock { $0.append(error.reason) }
                }
            }
            #expect(errors.withLock { $0 } == [])
        }
    }

    private let draft = ".quote.json.btc-price.tmp"

    @Test(.fault(3)) func `the draft of a killed process is replaced, even by a shorter draft`() throws {
        folder.write(draft, String(repeating: "x", count: 4000))
        let quote = newQuote()
        try sut.save(quote)
        #expect(try names == ["quote.json"] && sut.load(.bitcoin) == quote)
    }

    @Test(.fault(3)) func `a draft is deleted unless its writer still holds the lock`() throws {
        var writer: Draft? = try Draft(of: path)
        sut.sweep()
        #expect(try names == [draft])
        // When the writer is killed, its draft remains but its lock is released
        writer = nil
        folder.write(draft, "half a li")
        sut.sweep()
        #expect(try names == [] && writer == nil)
    }

    @Test func `nothing is written through a symbolic link in place of the draft`() throws {
        folder.write("target", "mine")
        #expect(symlink("target", "\(folder.path)/\(draft)") == 0)
        #expect(throws: StoreError.self) { try sut.save(newQuote()) }
        #expect(folder.contents("target") == "mine")
    }

    @Test func `without a home directory, saving a quote fails`() {
        let sut = FileQuoteStore(location: .directory(nil))
        #expect(throws: StoreError(reason: "cannot store quotes: no home directory; use --file")) {
            try sut.save(newQuote())
        }
    }
}
