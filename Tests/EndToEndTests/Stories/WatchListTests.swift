import Foundation
import TestSupport
import TestTraits
import Testing

/// A file of symbols that can be changed while its prices are shown.
@Suite(.endToEnd) struct WatchListTests {
    private let folder = TemporaryFolder()

    private var file: String { "\(folder.path)/symbols" }

    private func clock(_ words: String...) -> RunningProgram {
        RunningProgram("price-clock", ["--interval", "20ms", "--symbols", file] + words)
    }

    private func symbol(of line: String?) -> Substring? {
        line?.firstMatch(of: /"symbol":"([^"]*)"/)?.output.1
    }

    /// Whether the clock comes to ask for a symbol.
    private func asks(_ clock: RunningProgram, for wanted: String) -> Bool {
        while let line = clock.readLine() {
            if symbol(of: line) ?? "" == wanted { return true }
        }
        return false
    }

    @Test func `the clock asks for the symbols of a file, and for those that are named, once each`() {
        folder.write("symbols", "# coins\r\nETH-USD\r\n\n  SOL-USD  XRP-USD # two\nADA-USD")
        let words = ["-n1", "--symbol=A", "--symbols=\(file)", "--symbol", "ETH-USD", "--symbol", "B"]
        let result = RunningProgram.run("price-clock", words)
        #expect(result.lines.map(symbol) == ["A", "ETH-USD", "SOL-USD", "XRP-USD", "ADA-USD", "B"])
        #expect(result.status == 0 && result.errors == "")
    }

    @Test func `SIGHUP makes the clock read the file again, and its beat goes on`() {
        folder.write("symbols", "ETH-USD")
        let clock = clock()
        #expect(asks(clock, for: "ETH-USD"))
        // When
        folder.write("symbols", "SOL-USD")
        clock.signal(SIGHUP)
        // Then
        #expect(asks(clock, for: "SOL-USD") && clock.errors == "")
        folder.write("symbols", "XRP-USD")
        clock.signal(SIGHUP)
        #expect(asks(clock, for: "XRP-USD"))
    }

    @Test(arguments: [
        ("", "cannot use FILE: it has no symbols"),
        ("ETH-USD\nETH/USD", "cannot use FILE: line 2: 'ETH/USD' is not a symbol such as BTC-USD"),
        ("a\u{1B}b", "cannot use FILE: line 1: 'a?b' is not a symbol such as BTC-USD"),
        (nil, "cannot read FILE: No such file or directory"),
    ])
    func `if the file has become useless, this is reported once, and the symbols stay`(
        text: String?, reason: String
    ) throws {
        folder.write("symbols", "ETH-USD")
        let clock = clock()
        #expect(asks(clock, for: "ETH-USD"))
        // When
        if let text {
            folder.write("symbols", text)
        } else {
            try FileManager.default.removeItem(atPath: file)
        }
        clock.signal(SIGHUP)
        // Then
        #expect(clock.errors(containing: "\n"))
        let seen = clock.lineCount
        #expect(clock.waitUntil(within: .seconds(10)) { clock.lineCount > seen + 3 })
        let expected = reason.replacing("FILE", with: file)
        #expect(clock.errors == "price-clock: warning: \(expected); the symbols stay as they are\n")
        #expect(symbol(of: clock.readLine()) == "ETH-USD")
        // And the next one counts again
        folder.write("symbols", "SOL-USD")
        clock.signal(SIGHUP)
        #expect(asks(clock, for: "SOL-USD"))
    }

    @Test func `a pipe is read once, and does not hold up the beat`() {
        let clock = RunningProgram(
            "bash", ["-c", "exec price-clock --interval 20ms --symbols <(echo ETH-USD)"])
        #expect(asks(clock, for: "ETH-USD"))
        clock.signal(SIGHUP)
        #expect(clock.errors(containing: " again: it is not a regular file; the symbols stay as they are\n"))
        #expect(clock.readLine() != nil)
    }

    @Test func `without a file SIGHUP ends the clock`() {
        let clock = RunningProgram("price-clock", ["--symbol", "ETH-USD", "--interval", "30s"])
        #expect(clock.readLine() != nil)
        clock.signal(SIGHUP)
        #expect(clock.result(within: .seconds(10)).status == 129)
    }

    @Test(arguments: [
        ("nothing", "cannot read FILE: No such file or directory", Int32(74)),
        ("folder", "cannot read FILE: Is a directory", 74),
        ("empty", "cannot use FILE: it has no symbols", 64),
    ])
    func `a file that is useless at the start is one line`(name: String, reason: String, status: Int32) throws
    {
        folder.write("empty", "# nothing\n")
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/folder", withIntermediateDirectories: false)
        let path = "\(folder.path)/\(name)"
        let result = RunningProgram.run("price-clock", ["--symbols", path])
        #expect(result.errors == "price-clock: error: \(reason.replacing("FILE", with: path))\n")
        #expect(result.status == status && result.output == "")
    }
}
