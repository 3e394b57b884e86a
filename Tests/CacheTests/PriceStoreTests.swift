import Foundation
import PipeCommon
import TestSupport
import Testing

@testable import price_cache

/// The contract of the store, against real files.
struct PriceStoreTests {
    private let folder = TemporaryFolder()
    private var path: String { "\(folder.path)/quote.json" }
    private var sut: FileQuoteStore { FileQuoteStore(location: .file(path)) }

    private func stored(_ price: String = "68901.23", age: Int = 0, symbol: Symbol = .bitcoin) -> StoredQuote
    {
        StoredQuote(
            symbol: symbol, source: "binance", quote: anyQuote(price, at: .now() + .milliseconds(-age)))
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `nothing stored is no quote, and no trouble`() throws {
        #expect(try sut.load(.bitcoin) == nil)
    }

    @Test func `what is saved is loaded, by a later run too`() throws {
        let quote = stored()
        try sut.save(quote)
        #expect(try sut.load(.bitcoin) == quote)
        #expect(folder.contents("quote.json")?.hasPrefix(quote.text.dropLast()) == true)
    }

    @Test func `only the user may read it, and nothing lies beside it`() throws {
        try sut.save(stored())
        try sut.save(stored())
        #expect(try mode(path) == 0o600)
        #expect(try names == ["quote.json"])
    }

    @Test func `a newer quote replaces it, an older one never does`() throws {
        let newest = stored("3.00")
        try sut.save(stored("2.00", age: 1000))
        try sut.save(newest)
        try sut.save(stored("1.00", age: 500))
        #expect(try sut.load(.bitcoin) == newest)
    }

    @Test func `26: a quote from an hour ahead is no obstacle for ever`() throws {
        let present = stored("2.00")
        try sut.save(stored("1.00", age: -3_600_000))
        try sut.save(present)
        #expect(try sut.load(.bitcoin) == present)
    }

    @Test func `24: every prefix of a stored quote is refused, and the next save repairs it`() throws {
        let text = stored().text
        for end in text.indices {
            folder.write("quote.json", String(text[..<end]))
            #expect(throws: StoreError.self) { try sut.load(.bitcoin) }
        }
        let quote = stored()
        try sut.save(quote)
        #expect(try sut.load(.bitcoin) == quote)
    }

    @Test func `24: cut at any byte it is refused, and with any bit flipped it is refused or the same quote`()
        throws
    {
        let quote = stored()
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
        // The last two bytes are the object's end and the line's.
        for end in 0..<bytes.count - 1 {
            #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes[..<end])))
            #expect(throws: StoreError.self) { try sut.load(.bitcoin) }
        }
        try sut.save(quote)
        #expect(try sut.load(.bitcoin) == quote)
    }

    @Test func `24: a file of a gigabyte is refused without being read`() throws {
        #expect(FileManager.default.createFile(atPath: path, contents: Data(stored().text.utf8)))
        #expect(truncate(path, 1 << 30) == 0)
        #expect(throws: StoreError(reason: "cannot use \(path): too large for a quote")) {
            try sut.load(.bitcoin)
        }
        try sut.save(stored())
        #expect(try sut.load(.bitcoin) != nil)
    }

    @Test func `a quote without a checksum, written by hand, is taken as it is`() throws {
        let quote = stored()
        folder.write("quote.json", quote.text)
        #expect(try sut.load(.bitcoin) == quote)
    }

    @Test(arguments: [
        "rubbish", "{}", "\n", #"{"symbol":"BTC-USD","source":"x"}"#,
        String(repeating: " ", count: 5000) + "{}",
        #"{"symbol":"BTC-USD","source":"x","quote":{"value":"0","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}"#,
    ])
    func `a file that is no quote is refused with its path, and the next save repairs it`(text: String) throws
    {
        folder.write("quote.json", text)
        #expect { try sut.load(.bitcoin) } throws: {
            ($0 as? StoreError)?.reason.hasPrefix("cannot use \(path): ") == true
        }
        try sut.save(stored())
        #expect(try sut.load(.bitcoin) != nil)
    }

    @Test func `24: a quote of another symbol is not taken for ours`() throws {
        try sut.save(stored(symbol: Symbol("ETH-USD")!))
        #expect(throws: StoreError(reason: "cannot use \(path): a quote of ETH-USD")) {
            try sut.load(.bitcoin)
        }
    }

    @Test func `22: a directory, a FIFO or a symbolic link in its place is neither read nor replaced`() throws
    {
        let target = "\(folder.path)/target"
        folder.write("target", stored().text)
        for make in [{ mkdir($0, 0o700) }, { mkfifo($0, 0o600) }, { symlink(target, $0) }]
            as [(String) -> Int32]
        {
            #expect(make(path) == 0)
            #expect(throws: StoreError.self) { try sut.load(.bitcoin) }
            #expect(throws: StoreError(reason: "cannot write \(path): not a regular file")) {
                try sut.save(stored())
            }
            #expect(try Set(names) == ["quote.json", "target"])
            remove(path)
        }
        #expect(folder.contents("target") != nil)
    }

    @Test func `22: a missing directory is a trouble for a file that the user named`() {
        let sut = FileQuoteStore(location: .file("\(folder.path)/missing/quote.json"))
        let reason = "cannot write \(folder.path)/missing/quote.json: No such file or directory"
        #expect(throws: StoreError(reason: reason)) { try sut.save(stored()) }
    }

    @Test func `25: two writers never take the quote back in time`() async throws {
        let quotes = (0..<200).map { stored("\($0 + 1).00", age: 1000 - $0) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in 0..<2 {
                group.addTask { [sut] in
                    for index in stride(from: start, to: quotes.count, by: 2) { try sut.save(quotes[index]) }
                }
            }
            var last = quotes[0].quote.timestamp
            for _ in 0..<200 {
                guard let seen = try sut.load(.bitcoin)?.quote.timestamp else { continue }
                #expect(seen >= last)
                last = seen
            }
            try await group.waitForAll()
        }
        #expect(try sut.load(.bitcoin) == quotes.last)
        #expect(try names == ["quote.json"])
    }

    // MARK: the program

    private func cache(_ input: String, _ environment: [String: String], _ words: String...)
        -> RunningProgram.Result
    {
        RunningProgram.run("price-cache", words, input: input, environment: environment)
    }

    @Test func `quotes are kept in the user's cache directory, whatever the umask`() throws {
        let home = "\(folder.path)/home"
        let program = "umask 000; mkdir \(home); price-cache"
        let result = RunningProgram.shell(program, input: quoteLine(), environment: ["HOME": home])
        #expect(result.status == 0 && result.errors == "")
        #expect(try mode("\(home)/.cache/btc-price") == 0o700)
        #expect(try mode("\(home)/.cache/btc-price/BTC-USD.json") == 0o600)
    }

    @Test func `XDG_CACHE_HOME is the place when it is absolute`() {
        _ = cache(quoteLine(symbol: "ETH-USD"), ["XDG_CACHE_HOME": folder.path])
        #expect(folder.contents("btc-price/ETH-USD.json")?.contains("68901.23") == true)
        _ = cache(quoteLine(), ["XDG_CACHE_HOME": "relative", "HOME": folder.path])
        #expect(folder.contents(".cache/btc-price/BTC-USD.json")?.contains("68901.23") == true)
    }

    @Test func `what one run stored stands in for the next, and age has its limit`() {
        _ = cache(quoteLine(), [:], "--file", path)
        #expect(cache(failureLine(), [:], "--file", path).output.contains("68901.23"))
        #expect(cache(failureLine(), [:], "--file", path, "--max-age", "36500d").output.contains("68901.23"))
        let old = quoteLine(at: .now() + .seconds(-61))
        #expect(
            !cache(old + "\n" + failureLine(tick: 13), [:], "--file=\(path)", "--max-age=1m").lines[1]
                .contains("quote"))
    }

    @Test func `22: a save that fails is said once, and nothing else happens`() {
        let input = (1...5).map { quoteLine(tick: $0) + "\n" + failureLine(tick: $0) }.joined(separator: "\n")
        let result = cache(input, [:], "--file", "\(folder.path)/missing/quote.json")
        #expect(
            result.status == 0 && result.lines.count == 10
                && result.lines.allSatisfy { $0.contains("68901.23") })
        #expect(
            result.errors == """
                price-cache: error: cannot write \(folder.path)/missing/quote.json: No such file or directory

                """)
    }

    @Test func `3: at its start it sweeps the drafts that killed programs have left, and nothing else`()
        throws
    {
        let directory = "\(folder.path)/btc-price"
        mkdir(directory, 0o700)
        let names = ["BTC-USD.json", "BTC-USD.json.tmp", "ETH-USD.json.tmp", "notes.tmp"]
        for name in names { folder.write("btc-price/\(name)", "half a li") }
        #expect(cache("", ["XDG_CACHE_HOME": folder.path]).status == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == [names[0], names[3]])
        // And the one beside a file that the user named
        folder.write("quote.json.tmp", "half a li")
        #expect(cache("", [:], "--file", path).status == 0)
        #expect(folder.contents("quote.json.tmp") == nil)
    }

    @Test func `3: a program that was killed in the middle leaves nothing for ever`() throws {
        folder.write("quote.json.tmp", "half a quo")
        try sut.save(stored())
        #expect(try names == ["quote.json"] && sut.load(.bitcoin) != nil)
    }

    @Test func `a directory that somebody holds locked ends the save, not the program`() throws {
        let holder = open(folder.path, O_RDONLY)
        #expect(flock(holder, LOCK_EX) == 0)
        let start = ContinuousClock.now
        let result = cache(quoteLine(), [:], "--file", path)
        close(holder)
        #expect(result.status == 0 && result.lines.count == 1 && ContinuousClock.now - start < .seconds(5))
        #expect(result.errors == "price-cache: error: cannot write \(path): Connection timed out\n")
    }

    @Test func `22: a disk that is full is said in its own words, and the old quote is kept`() throws {
        try sut.save(stored("1.00"))
        let command = "ulimit -f 0; price-cache --file \(path)"
        let result = RunningProgram.shell(command, input: quoteLine(at: .now()))
        #expect(result.status == 0 && result.lines.count == 1)
        #expect(result.errors == "price-cache: error: cannot write \(path): File too large\n")
        #expect(try sut.load(.bitcoin)?.quote.price.text == "1.00" && names == ["quote.json"])
    }

    @Test func `two symbols with a trouble each are told of once each`() {
        folder.write("btc-price", "in the directory's place")
        let lines = (1...3).flatMap { [quoteLine(tick: $0), quoteLine(tick: $0, symbol: "ETH-USD")] }
        let result = cache(lines.joined(separator: "\n"), ["XDG_CACHE_HOME": folder.path])
        #expect(result.lines.count == 6 && result.errors.split(separator: "\n").count == 2)
    }

    @Test func `24: a file that can't be used is said once, and is not shown`() {
        folder.write("quote.json", "rubbish")
        let result = cache(failureLine(tick: 1) + "\n" + failureLine(tick: 2), [:], "--file", path)
        #expect(result.status == 0 && result.lines.count == 2 && !result.output.contains("quote\":"))
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.errors.hasPrefix("price-cache: warning: cannot use \(path): "))
    }
}
