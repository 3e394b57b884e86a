import Foundation
import TestSupport
import TestTraits
import Testing

/// A board whose terminal is resized constantly, flooded with keys, or written to by a source.
@Suite(.endToEnd) struct BoardFaultTests {
    private let folder = TemporaryFolder()
    private let enter = "\u{1B}[?1049h", leave = "\u{1B}[?1049l"
    private let prices = ["68901.23", "3512.08", "0.000012345", "999999999999.99", "1.5"]

    /// Starts a board of five symbols in a terminal. The board's standard error goes to a file.
    private func showing() -> Terminal {
        let ticks = prices.indices.map { " --symbol S\($0)-USD" }.joined()
        let source = """
            while read -r tick; do case $tick in \
            \(prices.enumerated().map { "*S\($0)-*) p=\($1);;" }.joined()) esac; \
            printf '%s,"source":"shell","quote":{"value":"%s","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}\\n' \
            "${tick%?}" $p; done
            """
        let terminal = Terminal(environment: ["F": folder.path, "SOURCE": source])
        terminal.type(
            "price-clock --interval 50ms\(ticks) | price-fallback \"$SOURCE\" | price-format --style board 2> $F/errors; echo \"status: ${PIPESTATUS[2]}\"\r"
        )
        #expect(terminal.waitFor(enter) && terminal.waitFor("$68,901.23", after: 0))
        return terminal
    }

    /// Expects that q still ends the board, that the terminal is restored, and that every price was shown
    /// in full.
    private func expectGoodEnd(_ terminal: Terminal) throws {
        let mark = terminal.mark
        // Escape closes a view or prompt that earlier keys opened.
        terminal.type("\u{1B}")
        terminal.pump(for: .milliseconds(200))
        terminal.type("\u{1B}")
        terminal.pump(for: .milliseconds(200))
        // On a busy machine, the board may read the preceding Escape together with q and take them for Alt-q.
        let isDone = (0..<15).contains { _ in
            terminal.type("q")
            return terminal.waitFor("status: 0\n", after: mark, within: .seconds(4))
        }
        #expect(isDone && terminal.screen.dropFirst(mark).contains(leave))
        let whole: Set = ["$68,901.23", "$3,512.08", "$0.000012345", "$999,999,999,999.99", "$1.50"]
        for price in terminal.screen.matches(of: #/\$[0-9][0-9,.]*[0-9]/#) {
            #expect(whole.contains(String(price.output)), "\(price.output)")
        }
        #expect(try String(contentsOfFile: "\(folder.path)/errors", encoding: .utf8) == "")
    }

    @Test(.fault(52)) func `the board survives constant resizing between 1x1 and 500x200`() throws {
        var random = SeededRandom(Seed.value)
        let terminal = showing()
        for count in 0..<1000 {
            if count == 300 { terminal.type("j\r") }
            if count == 600 { terminal.type("\u{1B}[") }
            let isSmall = Bool.random(using: &random)
            terminal.resize(
                Int.random(in: 1...(isSmall ? 40 : 500), using: &random),
                Int.random(in: 1...(isSmall ? 10 : 200), using: &random))
            terminal.pump(for: .milliseconds(1))
        }
        terminal.resize(80, 24)
        try expectGoodEnd(terminal)
    }

    @Test(.fault(52), .enabled(if: Programs.has("tmux"), "needs tmux"))
    func `text that a source writes to the terminal disappears and does not move any row of the board`() {
        // Given a source that returns the prices 1 to 40 and writes two lines to standard error at every tick
        folder.write(
            "source",
            """
            while read -r tick; do
                echo noise >&2; echo more noise >&2; n=$((n + 1))
                printf '%s,"source":"shell","quote":{"value":"%d","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}\\n' "${tick%?}" $n
            done
            """)
        let source = "price-fallback 'sh \(folder.path)/source'"
        let clock = "price-clock --interval 50ms -n 20 --symbol BTC-USD --symbol ETH-USD"
        // When the source's standard error goes to the terminal of the board
        let terminal = TmuxTerminal(
            80, 7, running: "{ \(clock); sleep 60; } | \(source) | price-format --style board")
        let text = terminal.text { $0.contains("$40.00") && $0.contains("q quit") && !$0.contains("noise") }
        // Then every row is in its place, and each symbol is shown in only one row
        let rows = text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(rows.count == 5 && rows[1].contains("SYMBOL") && rows[4].contains("q quit"), "\(text)")
        #expect(rows.count { $0.contains("BTC-USD") } == 1 && rows.count { $0.contains("ETH-USD") } == 1)
    }

    @Test(.fault(52)) func `the board survives a flood of keys and incomplete escape sequences`() throws {
        var random = SeededRandom(Seed.value)
        let terminal = showing()
        // Keys that end or suspend the board are left out, as are keys that pause or resume the output.
        let bytes = (0...127).filter { ![0x03, 0x11, 0x13, 0x1A, 0x1C, 0x71].contains($0) }
        for _ in 0..<200 {
            let keys = (0..<50).map { _ in
                Bool.random(using: &random)
                    ? ["\u{1B}", "\u{1B}[", "\u{1B}O", "\u{1B}[5", "\u{1B}[A", "\u{1B}[6~"].randomElement(
                        using: &random)!
                    : String(Unicode.Scalar(UInt8(bytes.randomElement(using: &random)!)))
            }
            terminal.type(keys.joined())
            terminal.pump(for: .milliseconds(5))
        }
        try expectGoodEnd(terminal)
    }
}
