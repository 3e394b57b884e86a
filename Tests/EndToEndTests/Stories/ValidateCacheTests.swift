import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-cache --validate`: unusable stored files are deleted, and damaged files are repaired.
@Suite(.endToEnd) struct ValidateCacheTests {
    private let folder = TemporaryFolder()
    private var directory: String { "\(folder.path)/btc-price" }
    private var path: String { "\(directory)/BTC-USD.json" }
    private var environment: [String: String] { ["XDG_CACHE_HOME": folder.path] }

    private func validate(_ words: String...) -> RunningProgram.Result {
        RunningProgram.run("price-cache", ["--validate"] + words, environment: environment)
    }

    /// Stores a quote, or the candles of some days.
    private func store(_ lines: String...) {
        let input = lines.joined(separator: "\n")
        let result = RunningProgram.run("price-cache", input: input, environment: environment)
        #expect(result.status == 0 && result.errors == "")
    }

    private func storeQuote(age: Duration, symbol: String? = nil) {
        store(quoteLine(symbol: symbol, at: .now() + .milliseconds(-age.milliseconds)))
    }

    private var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).sorted()
    }

    @Test func `with an empty cache, nothing is deleted and nothing is printed`() {
        let result = validate("--max-age", "7d")
        #expect(result.status == 0 && result.output == "" && result.errors == "")
        #expect(!FileManager.default.fileExists(atPath: directory))
    }

    @Test func `an unreadable quote is deleted, and one line is printed`() throws {
        mkdir(directory, 0o700)
        folder.write("btc-price/BTC-USD.json", "rubbish")
        let result = validate()
        #expect(result.status == 0 && result.errors == "" && result.lines.count == 1)
        #expect(result.output.hasPrefix("deleted \(path): not a JSON object"))
        #expect(names == [])
    }

    @Test func `a file with a wrong checksum is deleted`() throws {
        store(quoteLine("1.00"))
        let text = try #require(folder.contents("btc-price/BTC-USD.json"))
        folder.write("btc-price/BTC-USD.json", text.replacing("1.00", with: "7.00"))
        #expect(validate().output == "deleted \(path): checksum mismatch\n" && names == [])
    }

    @Test func `a quote of less than seven days is kept`() {
        storeQuote(age: .seconds(7 * 86_400 - 30))
        let result = validate("--max-age", "7d")
        #expect(result.status == 0 && result.output == "" && names == ["BTC-USD.json"])
    }

    @Test(arguments: [0, 1, 86_400]) func `a quote of seven days or more is deleted`(more: Int) throws {
        storeQuote(age: .seconds(7 * 86_400 + more))
        let result = validate("--max-age", "7d")
        #expect(result.status == 0 && result.lines.count == 1 && names == [])
        #expect(result.output.hasPrefix("deleted \(path): its newest quote is from 20"))
    }

    @Test func `without --max-age a quote of any age is kept`() {
        store(quoteLine(at: Timestamp("2009-01-03T18:15:05.000Z")!))
        #expect(validate().output == "" && names == ["BTC-USD.json"])
    }

    @Test func `a file that cannot be deleted gives one message and status 74, and the others are deleted`() {
        storeQuote(age: .seconds(8 * 86_400), symbol: "ETH-USD")
        mkdir(path, 0o700)
        let result = validate("--max-age", "7d")
        #expect(result.status == 74 && result.lines.count == 1 && names == ["BTC-USD.json"])
        #expect(result.errors == "price-cache: error: cannot read \(path): not a regular file\n")
    }

    @Test(.enabled(if: Programs.has("strace"), "needs strace"))
    func `a disk that rejects the deletion gives one message and status 74`() {
        storeQuote(age: .seconds(8 * 86_400))
        let inject = "-qq -f -o /dev/null -P \(path) -e inject=unlink:error=EROFS"
        let command = "strace \(inject) price-cache --validate --max-age 7d"
        let result = RunningProgram.shell(command, environment: environment)
        #expect(result.status == 74 && result.output == "" && names == ["BTC-USD.json"])
        #expect(result.errors == "price-cache: error: cannot delete \(path): Read-only file system\n")
    }

    @Test(.enabled(if: Programs.has("strace"), "needs strace"), .fault(60), arguments: ["EIO", "EMFILE"])
    func `a temporarily unreadable file is kept, with one message and status 74`(error: String) {
        storeQuote(age: .seconds(8 * 86_400))
        let inject = "-qq -f -o /dev/null -P \(path) -e inject=openat:error=\(error)"
        let command = "strace \(inject) price-cache --validate --max-age 7d"
        let result = RunningProgram.shell(command, environment: environment)
        #expect(result.status == 74 && result.output == "" && names == ["BTC-USD.json"])
        #expect(result.errors.hasPrefix("price-cache: error: cannot read \(path): "))
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test(.fault(26)) func `a quote that was stored with a fast clock deletes no candles`() {
        let today = (Timestamp.now().milliseconds - anyTime().milliseconds) / 86_400_000
        let tick = dayTick(0, day: today + 1)
        let ahead = Reading(answering: tick, anyQuote(at: .now() + .seconds(7200)), from: "kraken").text
        store(candleLine(day: today - 3), candleLine(day: today - 2), ahead)
        let result = validate("--max-age", "7d")
        #expect(result.status == 0 && result.output == "")
        #expect(folder.contents("btc-price/BTC-USD~1d.json")?.split(separator: "\n").count == 3)
    }

    @Test(.fault(51))
    func `damaged lines of a candle file are reported and deleted, and the others are kept`() throws {
        store(candleLine(day: 0), candleLine(day: 1), candleLine(symbol: "ETH-USD"))
        let text = try #require(folder.contents("btc-price/BTC-USD~1d.json"))
        folder.write(
            "btc-price/BTC-USD~1d.json", text.replacing("kraken", with: "kroken", maxReplacements: 1))
        let result = validate()
        #expect(result.output == "repaired \(directory)/BTC-USD~1d.json: line 1: checksum mismatch\n")
        #expect(result.status == 0 && names == ["BTC-USD~1d.json", "ETH-USD~1d.json"])
        let rest = text.split(separator: "\n").dropFirst().joined()
        #expect(folder.contents("btc-price/BTC-USD~1d.json") == rest + "\n")
        #expect(validate().output == "")
    }

    @Test func `the newest quote of a file of candles determines its age`() {
        let today = (Timestamp.now().milliseconds - anyTime().milliseconds) / 86_400_000
        store(
            candleLine(day: today - 400), candleLine(day: today - 2),
            candleLine(symbol: "ETH-USD", day: today - 9))
        #expect(validate("--max-age", "7d").lines.count == 1 && names == ["BTC-USD~1d.json"])
    }

    @Test func `files with other names are left alone, and an old draft is removed`() {
        mkdir(directory, 0o700)
        let others = ["BTC USD.json", "BTC-USD.json.bak", "notes.txt"]
        for name in others + [".BTC-USD.json.btc-price.tmp"] {
            folder.write("btc-price/\(name)", "half a li")
        }
        let result = validate("--max-age", "1s")
        #expect(result.status == 0 && result.output == "" && names == others)
    }

    @Test func `a file that holds something else is reported and left alone`() throws {
        // Given 100 candles under the name of another file, for which they are too large
        store((0..<100).map { candleLine(day: $0) }.joined(separator: "\n"))
        let candles = try #require(folder.contents("btc-price/BTC-USD~1d.json"))
        folder.write("btc-price/BTC-USD.1d.json", candles)
        folder.write("btc-price/ETH-USD~1d.json", candles)
        // When
        let result = validate()
        // Then
        #expect(result.status == 74 && result.output == "")
        #expect(
            result.errors == """
                price-cache: error: cannot use \(directory)/BTC-USD.1d.json: too large for a quote
                price-cache: error: cannot use \(directory)/ETH-USD~1d.json: it holds a quote for BTC-USD

                """)
        #expect(folder.contents("btc-price/BTC-USD.1d.json") == candles)
        #expect(folder.contents("btc-price/ETH-USD~1d.json") == candles)
    }

    @Test func `with --file, only this file and the candles beside it are validated`() {
        let file = "\(folder.path)/\u{1B}quote.json"
        _ = RunningProgram.run(
            "price-cache", ["--file", file], input: quoteLine(symbol: "ETH-EUR") + "\n" + candleLine())
        #expect(validate("--file", file).output == "")
        folder.write("\u{1B}quote~1d.json", "rubbish")
        folder.write("other.json", "rubbish")
        let result = validate("--file", file)
        #expect(result.status == 0 && result.lines.count == 1)
        #expect(result.output.hasPrefix("deleted \(folder.path)/?quote~1d.json: "))
        #expect(folder.contents("\u{1B}quote.json") != nil && folder.contents("other.json") != nil)
    }

    @Test func `standard input is not read`() {
        let result = RunningProgram.shell(
            "price-cache --validate; cat", input: "unread\n", environment: environment)
        #expect(result.output == "unread\n")
    }
}
