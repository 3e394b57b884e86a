import Foundation
import PipeCommon
import Synchronization
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// The files of the store; its promises as a store are in `QuoteStoreContractTests`.
@Suite(.unit) struct FileQuoteStoreTests {
    private let folder = TemporaryFolder(inMemory: true)
    private var path: String { "\(folder.path)/quote.json" }
    private var sut: FileQuoteStore { FileQuoteStore(location: .file(path)) }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `a quote is stored as one line with a checksum, which the next process can load`() throws {
        let quote = newQuote()
        try sut.save(quote)
        #expect(try FileQuoteStore(location: .file(path)).load(.bitcoin) == quote)
        #expect(folder.contents("quote.json")?.wholeMatch(of: /.*,"check":"[0-9a-f]{8}"}\n/) != nil)
        #expect(folder.contents("quote.json")?.hasPrefix(quote.text.dropLast()) == true)
    }

    @Test func `only the user may read the file, and no draft remains`() throws {
        try sut.save(newQuote())
        try sut.save(newQuote())
        #expect(try mode(path) == 0o600)
        #expect(try names == ["quote.json"])
    }

    @Test(.fault(24))
    func `a stored quote is rejected if truncated, and rejected or unchanged if one bit is flipped`() throws {
        let quote = newQuote()
        try sut.save(quote)
        let bytes = Array(folder.contents("quote.json")!.utf8)
        var refused = 0
        for bit in 0..<bytes.count * 8 {
            var flipped = bytes
            flipped[bit / 8] ^= 1 << (bit % 8)
            #expect(FileManager.default.createFile(atPath: path, contents: Data(flipped)))
            do { #expect(try sut.load(.bitcoin) == quote) } catch { refused += 1 }
        }
        #expect(refused > bytes.count * 6)
        // The last two bytes are the closing brace and the line break, which may be missing.
        for end in 0..<bytes.count - 1 {
            #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes[..<end])))
            #expect(throws: StoreError.self) { try sut.load(.bitcoin) }
        }
        try sut.save(quote)
        #expect(try sut.load(.bitcoin) == quote)
    }

    @Test(.fault(24)) func `a file of a gigabyte is rejected without being read`() throws {
        #expect(FileManager.default.createFile(atPath: path, contents: Data(newQuote().text.utf8)))
        #expect(truncate(path, 1 << 30) == 0)
        #expect(throws: StoreError(reason: "cannot use \(path): too large for a quote")) {
            try sut.load(.bitcoin)
        }
        try sut.save(newQuote())
        #expect(try sut.load(.bitcoin) != nil)
    }

    @Test func `a quote without a checksum, written by hand, is accepted`() throws {
        let quote = newQuote()
        folder.write("quote.json", quote.text)
        #expect(try sut.load(.bitcoin) == quote)
    }

    @Test(arguments: [
        "rubbish", "{}", "\n", #"{"symbol":"BTC-USD","source":"x"}"#,
        String(repeating: " ", count: 5000) + "{}",
        #"{"symbol":"BTC-USD","source":"x","quote":{"value":"0","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}"#,
    ])
    func `a file that does not hold a quote is rejected with its path, and the next save replaces it`(
        text: String
    ) throws {
        folder.write("quote.json", text)
        #expect { try sut.load(.bitcoin) } throws: {
            ($0 as? StoreError)?.reason.hasPrefix("cannot use \(path): ") == true
        }
        try sut.save(newQuote())
        #expect(try sut.load(.bitcoin) != nil)
    }

    @Test(.fault(24)) func `a stored quote of another symbol is rejected`() throws {
        try sut.save(newQuote(symbol: Symbol("ETH-USD")!))
        #expect(throws: StoreError(reason: "cannot use \(path): it holds a quote for ETH-USD")) {
            try sut.load(.bitcoin)
        }
    }

    @Test(.fault(22))
    func `a directory, FIFO or symbolic link in place of the file is neither read nor replaced`()
        throws
    {
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

    @Test func `programs that start together can all store their first quotes`() {
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

    @Test(.fault(22)) func `saving to a directory that does not exist fails`() {
        let sut = FileQuoteStore(location: .file("\(folder.path)/missing/quote.json"))
        let reason = "cannot write \(folder.path)/missing/quote.json: No such file or directory"
        #expect(throws: StoreError(reason: reason)) { try sut.save(newQuote()) }
    }

    @Test func `a wrong checksum is reported`() throws {
        try sut.save(newQuote("1.00"))
        let changed = try #require(folder.contents("quote.json")).replacing("1.00", with: "7.00")
        folder.write("quote.json", changed)
        #expect(throws: StoreError(reason: "cannot use \(path): checksum mismatch")) {
            try sut.load(.bitcoin)
        }
    }

    private let draft = ".quote.json.btc-price.tmp"

    @Test(.fault(3)) func `a killed process's draft is replaced, even if it is longer`() throws {
        folder.write(draft, String(repeating: "x", count: 4000))
        let quote = newQuote()
        try sut.save(quote)
        #expect(try names == ["quote.json"] && sut.load(.bitcoin) == quote)
    }

    @Test(.fault(3)) func `drafts are deleted unless a writer holds one`() throws {
        var writer: Draft? = try Draft(of: path)
        sut.sweep()
        #expect(try names == [draft])
        // When that writer is killed, its draft remains but its lock is released
        writer = nil
        folder.write(draft, "half a li")
        sut.sweep()
        #expect(try names == [] && writer == nil)
    }

    @Test func `a save that is older than the stored quote leaves no draft`() throws {
        let newest = newQuote("2.00")
        try sut.save(newest)
        try sut.save(newQuote("1.00", age: 1000))
        #expect(try names == ["quote.json"] && sut.load(.bitcoin) == newest)
    }

    @Test func `nothing is written through a symbolic link in place of the draft`() throws {
        folder.write("target", "mine")
        #expect(symlink("target", "\(folder.path)/\(draft)") == 0)
        #expect(throws: StoreError.self) { try sut.save(newQuote()) }
        #expect(folder.contents("target") == "mine")
    }

    @Test func `without a home directory no quote is stored`() {
        let sut = FileQuoteStore(location: .directory(nil))
        #expect(throws: StoreError(reason: "cannot store quotes: no home directory")) {
            try sut.save(newQuote())
        }
    }
}
