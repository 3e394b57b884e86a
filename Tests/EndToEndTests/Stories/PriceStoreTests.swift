import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The program `price-cache` and its stored quotes.
@Suite(.endToEnd) struct PriceStoreTests {
    private let folder = TemporaryFolder(inMemory: true)
    private var path: String { "\(folder.path)/quote.json" }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func cache(_ input: String, _ environment: [String: String], _ words: String...)
        -> RunningProgram.Result
    {
        RunningProgram.run("price-cache", words, input: input, environment: environment)
    }

    /// Whether the stored quote is shown once it has been loaded from disk.
    private func isShown(_ words: String..., within limit: Duration = .seconds(10)) -> Bool {
        let running = RunningProgram("price-cache", ["--file", path] + words)
        return running.waitUntil(within: limit) {
            running.write(failureLine() + "\n")
            return running.readLine()?.contains("68901.23") == true
        }
    }

    @Test func `quotes are stored in the user's cache directory, whatever the umask is`() throws {
        let home = "\(folder.path)/home"
        let program = "umask 000; mkdir \(home); price-cache"
        let result = RunningProgram.shell(program, input: quoteLine(), environment: ["HOME": home])
        #expect(result.status == 0 && result.errors == "")
        #expect(try mode("\(home)/.cache/btc-price") == 0o700)
        #expect(try mode("\(home)/.cache/btc-price/BTC-USD.json") == 0o600)
    }

    @Test func `XDG_CACHE_HOME is used if it is absolute`() {
        _ = cache(quoteLine(symbol: "ETH-USD"), ["XDG_CACHE_HOME": folder.path])
        #expect(folder.contents("btc-price/ETH-USD.json")?.contains("68901.23") == true)
        _ = cache(quoteLine(), ["XDG_CACHE_HOME": "relative", "HOME": folder.path])
        #expect(folder.contents(".cache/btc-price/BTC-USD.json")?.contains("68901.23") == true)
    }

    @Test func `with --require-quote the status is 69 if no reading had a quote, not even a stored one`() {
        let words = ["--file", path, "--require-quote"]
        #expect(RunningProgram.run("price-cache", words, input: failureLine()).status == 69)
        #expect(RunningProgram.run("price-cache", words, input: failureLine() + "\n{").status == 65)
        #expect(RunningProgram.run("price-cache", words, input: quoteLine()).status == 0)
        #expect(RunningProgram.run("price-cache", words, input: failureLine()).status == 0)
    }

    @Test func `a quote stored by one run is shown by the next, until it is too old`() {
        _ = cache(quoteLine(), [:], "--file", path)
        #expect(isShown() && isShown("--max-age", "36500d"))
        let old = quoteLine(at: .now() + .seconds(-61))
        let result = cache(old + "\n" + failureLine(tick: 13), [:], "--file=\(path)", "--max-age=1m")
        #expect(result.lines.count == 2 && result.lines.last?.contains("quote") == false)
    }

    @Test func `candles are stored in their own file, and each candle stands in only for itself`() {
        let days = (0..<3).map { candleLine("\($0 + 1).00", tick: $0, day: $0) }
        let quote = quoteLine("9.00", at: .now())
        _ = cache((days + [quote]).joined(separator: "\n"), ["XDG_CACHE_HOME": folder.path])
        #expect(folder.contents("btc-price/BTC-USD.json")?.contains(#""9.00""#) == true)
        #expect(folder.contents("btc-price/BTC-USD~1d.json")?.split(separator: "\n").count == 3)
        // When
        let ticks = (0..<4).map { Reading(answering: dayTick($0, day: $0), [anyFailure()]).text }
        let result = cache(ticks.joined(separator: "\n"), ["XDG_CACHE_HOME": folder.path])
        // Then
        let readings = result.lines.compactMap { try? Reading(line: $0.utf8) }
        #expect(readings.map { $0.quote?.price.text } == ["1.00", "2.00", "3.00", nil])
        #expect(readings.allSatisfy { $0.error == true && $0.candle == .day } && result.errors == "")
    }

    @Test func `with --max-age a quote that was stored with a fast clock is not shown`() {
        _ = cache(quoteLine(at: .now() + .seconds(3600)), [:], "--file", path)
        #expect(isShown() && !isShown("--max-age", "7d", within: .milliseconds(500)))
    }

    @Test(.fault(22)) func `a save that fails is reported once, and every line is written`() {
        let input = (1...5).map { quoteLine(tick: $0) + "\n" + failureLine(tick: $0) }.joined(separator: "\n")
        let result = cache(input, [:], "--file", "\(folder.path)/missing/quote.json")
        #expect(
            result.status == 74 && result.lines.count == 10
                && result.lines.allSatisfy { $0.contains("68901.23") })
        #expect(
            result.errors == """
                price-cache: error: cannot write \(folder.path)/missing/quote.json: No such file or directory

                """)
    }

    @Test(.fault(3))
    func `price-cache deletes the drafts of killed programs when it starts, and nothing else`()
        throws
    {
        // Given
        let directory = "\(folder.path)/btc-price"
        mkdir(directory, 0o700)
        let others = ["BTC-USD.json", "BTC-USD.json.tmp", "notes.tmp"]
        let drafts = [".BTC-USD.json.btc-price.tmp", ".ETH-USD.json.btc-price.tmp"]
        for name in others + drafts { folder.write("btc-price/\(name)", "half a li") }
        // When, then
        #expect(cache("", ["XDG_CACHE_HOME": folder.path]).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory).sorted() == others)
        // And the draft of a file given by the user
        folder.write(".quote.json.btc-price.tmp", "half a li")
        #expect(cache("", [:], "--file", path).status == 0)
        #expect(folder.contents(".quote.json.btc-price.tmp") == nil)
    }

    @Test func `a user's file with the name of the stored file and .tmp is left alone`() {
        folder.write("quote.json.tmp", "mine")
        #expect(cache(quoteLine(), [:], "--file", path).status == 0)
        #expect(folder.contents("quote.json.tmp") == "mine" && folder.contents("quote.json") != nil)
    }

    @Test(.enabled(if: Programs.has("strace"), "needs strace"))
    func `without HOME quotes are stored in the home folder of the password database`() throws {
        let home = try #require(getpwuid(getuid())).pointee.pw_dir.map { String(cString: $0) }
        let file = "\(folder.path)/trace"
        let command = "unset HOME; exec strace -f -qq -e trace=%file -o \(file.shellQuoted) price-cache"
        let result = RunningProgram.shell(command, input: failureLine(symbol: "NO-SUCH-SYMBOL"))
        let wanted = "\(home ?? "")/.cache/btc-price/NO-SUCH-SYMBOL.json"
        #expect(result.status == 0 && folder.contents("trace")?.contains(wanted) == true)
    }

    @Test func `another program's lock on the directory does not stop a save`() {
        let holder = open(folder.path, O_RDONLY)
        #expect(flock(holder, LOCK_EX) == 0)
        let result = cache(quoteLine(), [:], "--file", path)
        close(holder)
        #expect(result.status == 0 && result.errors == "")
        #expect(folder.contents("quote.json")?.contains("68901.23") == true)
    }

    @Test(.fault(25)) func `a slow other writer is reported, and the file is written at the end`() {
        // Given
        let holder = open("\(folder.path)/.quote.json.btc-price.tmp", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(holder, LOCK_EX) == 0)
        let running = RunningProgram("price-cache", ["--file", path])
        running.write(quoteLine() + "\n")
        running.closeInput()
        // When
        #expect(running.errors(containing: "cannot write \(path): another program is writing it\n"))
        close(holder)
        // Then
        let result = running.result()
        #expect(
            result.status == 0 && result.lines.count == 1 && result.errors.split(separator: "\n").count == 1)
        #expect(folder.contents("quote.json")?.contains("68901.23") == true)
    }

    @Test(.fault(22)) func `a file that would be too large is reported, and the old quote is kept`() throws {
        _ = cache(quoteLine("1.00"), [:], "--file", path)
        let command = "ulimit -f 0; price-cache --file \(path)"
        let result = RunningProgram.shell(command, input: quoteLine(at: .now()))
        #expect(result.status == 74 && result.lines.count == 1)
        #expect(result.errors == "price-cache: error: cannot write \(path): File too large\n")
        #expect(folder.contents("quote.json")?.contains(#""1.00""#) == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["quote.json"])
    }

    @Test func `a problem with two symbols is reported once for each`() {
        folder.write("btc-price", "in the directory's place")
        let lines = (1...3).flatMap { [quoteLine(tick: $0), quoteLine(tick: $0, symbol: "ETH-USD")] }
        let result = cache(lines.joined(separator: "\n"), ["XDG_CACHE_HOME": folder.path])
        #expect(result.lines.count == 6 && result.errors.split(separator: "\n").count == 2)
        #expect(result.status == 74)
    }

    @Test func `a file given by the user keeps the first symbol, and the second one is an error`() {
        let lines = (1...3).flatMap {
            [quoteLine("1.00", tick: $0), quoteLine("2.00", tick: $0, symbol: "ETH-USD")]
        }
        let result = cache(lines.joined(separator: "\n"), [:], "--file", path)
        #expect(result.status == 74 && result.lines.count == 6)
        #expect(result.errors == "price-cache: error: cannot write \(path): it holds a quote for BTC-USD\n")
        #expect(folder.contents("quote.json")?.contains(#""1.00""#) == true)
    }

    @Test(.fault(22)) func `with six descriptors everything is stored`() {
        for price in ["1.00", "2.00"] {
            let line = quoteLine(price, at: .now())
            let result = RunningProgram.shell("ulimit -n 6; exec price-cache --file \(path)", input: line)
            #expect(result.status == 0 && result.errors == "")
            #expect(folder.contents("quote.json")?.contains(price) == true)
        }
    }

    @Test(.fault(24)) func `a file that cannot be used is reported once and is not shown`() {
        folder.write("quote.json", "rubbish")
        let result = cache(failureLine(tick: 1) + "\n" + failureLine(tick: 2), [:], "--file", path)
        #expect(result.status == 0 && result.lines.count == 2 && !result.output.contains("quote\":"))
        #expect(result.errors.split(separator: "\n").count == 1)
        #expect(result.errors.hasPrefix("price-cache: warning: cannot use \(path): "))
    }
}
