import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-cache --validate`: files that are too old are deleted, and files that cannot be used, read or
/// deleted are reported and kept. The sessions in `Cases` test how damaged files are deleted or repaired.
@Suite(.endToEnd) struct ValidateCacheTests {
    private let folder = TemporaryFolder()
    private var directory: String { "\(folder.path)/btc-price" }
    private var path: String { "\(directory)/BTC-USD.json" }
    private var environment: [String: String] { ["XDG_CACHE_HOME": folder.path] }

    private func validate(_ words: String...) -> RunningProgram.Result {
        RunningProgram.run("price-cache", ["--validate"] + words, environment: environment)
    }

    /// Runs `price-cache` to store the quotes or candles of the readings in these lines.
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

    @Test(arguments: [(-30, true), (0, false), (86_400, false)])
    func `a quote is deleted if it is at least as old as --max-age`(more: Int, isKept: Bool) {
        storeQuote(age: .seconds(7 * 86_400 + more))
        let result = validate("--max-age", "7d")
        #expect(result.status == 0 && result.errors == "" && names == (isKept ? ["BTC-USD.json"] : []))
        #expect(result.lines.count == (isKept ? 0 : 1))
        #expect(isKept || result.output.hasPrefix("deleted \(path): its newest quote is from 20"))
    }

    @Test
    func `a directory in place of a file is reported and kept, and an old file beside it is deleted`() {
        storeQuote(age: .seconds(8 * 86_400), symbol: "ETH-USD")
        mkdir(path, 0o700)
        let result = validate("--max-age", "7d")
        #expect(result.status == 74 && result.lines.count == 1 && names == ["BTC-USD.json"])
        #expect(result.errors == "price-cache: error: cannot read \(path): not a regular file\n")
    }

    @Test(
        .enabled(if: Programs.has("strace"), "needs strace"), .fault(60),
        arguments: [
            ("unlink:error=EROFS", "cannot delete FILE: Read-only file system"),
            ("openat:error=EIO", "cannot read FILE: Input/output error"),
            ("newfstatat:error=EIO", "cannot read FILE: Input/output error"),
            ("openat:error=EMFILE", "cannot read FILE: Too many open files"),
        ])
    func `a file that cannot be read or deleted is kept and reported with status 74`(
        fault: String, message: String
    ) {
        storeQuote(age: .seconds(8 * 86_400))
        let inject = "-qq -f -o /dev/null -P \(path) -e inject=\(fault)"
        let command = "strace \(inject) price-cache --validate --max-age 7d"
        let result = RunningProgram.shell(command, environment: environment)
        #expect(result.status == 74 && result.output == "" && names == ["BTC-USD.json"])
        #expect(result.errors == "price-cache: error: \(message.replacing("FILE", with: path))\n")
    }

    @Test(.fault(26)) func `a stored candle from the future does not cause other candles to be deleted`() {
        let today = (Timestamp.now().milliseconds - anyTime().milliseconds) / 86_400_000
        let tick = dayTick(0, day: today + 1)
        let ahead = Reading(answering: tick, anyQuote(at: .now() + .seconds(7200)), from: "kraken").text
        store(candleLine(day: today - 3), candleLine(day: today - 2), ahead)
        let result = validate("--max-age", "7d")
        #expect(result.status == 0 && result.output == "")
        #expect(folder.contents("btc-price/BTC-USD~1d.json")?.split(separator: "\n").count == 3)
    }

    @Test func `a file of candles is as old as its newest candle`() {
        let today = (Timestamp.now().milliseconds - anyTime().milliseconds) / 86_400_000
        store(
            candleLine(day: today - 400), candleLine(day: today - 2),
            candleLine(symbol: "ETH-USD", day: today - 9))
        #expect(validate("--max-age", "7d").lines.count == 1 && names == ["BTC-USD~1d.json"])
    }

    @Test func `a file whose contents do not match its name is reported but not changed`() throws {
        // Given two copies of a file of 100 candles. One copy is named like a quote file, but quote
        // files must be smaller. The other copy is named like another symbol's file of candles.
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
                price-cache: error: cannot use \(directory)/ETH-USD~1d.json: it contains a quote for BTC-USD

                """)
        #expect(folder.contents("btc-price/BTC-USD.1d.json") == candles)
        #expect(folder.contents("btc-price/ETH-USD~1d.json") == candles)
    }
}
