import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-cache` as a program: how it saves a quote to a file and loads the quote again.
@Suite(.endToEnd) struct PriceStoreTests {
    private let folder = TemporaryFolder(inMemory: true)
    private var path: String { "\(folder.path)/quote.json" }

    private func cache(_ input: String, _ words: String...) -> RunningProgram.Result {
        RunningProgram.run("price-cache", words, input: input)
    }

    /// Whether `price-cache` returns the stored quote within the limit. A reading that is printed before
    /// the quote is loaded from the disk does not contain the quote, so several readings may be needed.
    private func isShown(_ words: [String], within limit: Duration) -> Bool {
        let running = RunningProgram("price-cache", ["--file", path] + words)
        return running.waitUntil(within: limit) {
            running.write(failureLine() + "\n")
            return running.readLine()?.contains("68901.23") == true
        }
    }

    @Test(arguments: [
        (0, [], true), (0, ["--max-age", "36500d"], true), (3600, [], true),
        (3600, ["--max-age", "7d"], false),
    ])
    func `the next run shows the stored quote unless the quote is from the future and --max-age is set`(
        seconds: Int, words: [String], expected: Bool
    ) {
        _ = cache(quoteLine(at: .now() + .seconds(seconds)), "--file", path)
        #expect(isShown(words, within: expected ? .seconds(10) : .milliseconds(500)) == expected)
    }

    @Test(.enabled(if: Programs.has("strace"), "needs strace"))
    func `without HOME, price-cache takes the home folder from the password database`() throws {
        let home = try #require(getpwuid(getuid())).pointee.pw_dir.map { String(cString: $0) }
        let file = "\(folder.path)/trace"
        let command = "unset HOME; exec strace -f -qq -e trace=%file -o \(file.shellQuoted) price-cache"
        let result = RunningProgram.shell(command, input: failureLine(symbol: "NO-SUCH-SYMBOL"))
        let wanted = "\(home ?? "")/.cache/btc-price/NO-SUCH-SYMBOL.json"
        #expect(result.status == 0 && folder.contents("trace")?.contains(wanted) == true)
    }

    @Test func `a quote is stored even while another program holds a lock on the folder`() {
        let holder = open(folder.path, O_RDONLY)
        #expect(flock(holder, LOCK_EX) == 0)
        let result = cache(quoteLine(), "--file", path)
        close(holder)
        #expect(result.status == 0 && result.errors == "")
        #expect(folder.contents("quote.json")?.contains("68901.23") == true)
    }

    @Test(.fault(25)) func `price-cache stores the quote later if another program is writing to the file`() {
        // Given
        let holder = open("\(folder.path)/.quote.json.btc-price.tmp", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        #expect(flock(holder, LOCK_EX) == 0)
        let running = RunningProgram("price-cache", ["--file", path])
        running.write(quoteLine() + "\n")
        running.closeInput()
        // When
        #expect(running.errors(containing: "cannot write \(path): another program is writing to it\n"))
        close(holder)
        // Then
        let result = running.result()
        #expect(
            result.status == 0 && result.lines.count == 1 && result.errors.split(separator: "\n").count == 1)
        #expect(folder.contents("quote.json")?.contains("68901.23") == true)
    }
}
