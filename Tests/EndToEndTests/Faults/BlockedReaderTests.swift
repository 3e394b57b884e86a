import PipeCommon
import TestSupport
import TestTraits
import Testing

/// A reader that stops reading for longer than a stage waits for it, and then goes on.
@Suite(.endToEnd) struct BlockedReaderTests {
    /// The price of each reading is the number of its tick and 1.
    private let source = """
        while read -r tick; do n=${tick#*:}; printf '%s,"source":"x","quote":{"value":"%d.00","currency":"USD",\
        "timestamp":"2026-11-21T14:03:07.412Z"}}\\n' "${tick%?}" "$((${n%%,*} + 1))"; done
        """

    private func prices(_ result: RunningProgram.Result) -> [Int] {
        let prices = result.lines.compactMap { $0.firstMatch(of: /[$"]([0-9,]+)\.00/)?.1 }
        return prices.compactMap { Int($0.replacing(",", with: "")) }
    }

    @Test(.fault(31))
    func `a reader that reads again gets current prices, and the skipped readings are counted once`() throws {
        let folder = TemporaryFolder()
        let stages = ["price-format", "price-cache --file quote.json", "price-fallback \"$SOURCE\""]
        // When
        let running = stages.map { stage in
            let before = stage.hasPrefix("price-fallback") ? "cat" : "(\(source))"
            let command =
                "price-clock --interval 100ms -n 160 | \(before) | \(stage) | { head -c 1; sleep 12; cat; }"
            return RunningProgram(
                "bash", ["-c", "cd \(folder.path); " + command], environment: ["SOURCE": source])
        }
        // Then nothing is older than 10 s, and then it is now
        for (stage, running) in zip(stages, running) {
            let result = running.finish(within: .seconds(60))
            let shown = prices(result)
            #expect(shown == shown.sorted() && shown.first == 1 && shown.last == 160)
            let gap = try #require(zip(shown, shown.dropFirst()).first { $1 - $0 > 1 })
            #expect((90...108).contains(gap.0) && gap.1 >= 105)
            #expect(shown.count + (gap.1 - gap.0 - 1) == 160)
            let warning = "standard output was not being read; skipped \(gap.1 - gap.0 - 1) readings\n"
            #expect(result.errors == "\(stage.prefix { $0 != " " }): warning: \(warning)")
        }
    }

    @Test(.fault(31)) func `a reader that reads again after the end gets the last reading`() throws {
        let folder = TemporaryFolder()
        let stages = ["price-format", "price-cache --file quote.json", "price-fallback \"$SOURCE\""]
        // When
        let running = stages.map { stage in
            let before = stage.hasPrefix("price-fallback") ? "cat" : "(\(source))"
            let command =
                "price-clock --interval 100ms -n 130 | \(before) | \(stage) | { head -c 1; sleep 15; cat; }"
            return RunningProgram(
                "bash", ["-c", "cd \(folder.path); " + command], environment: ["SOURCE": source])
        }
        // Then
        for (stage, running) in zip(stages, running) {
            let result = running.finish(within: .seconds(60))
            let shown = prices(result)
            #expect((90...108).contains(shown.count) && shown.last == 130, "\(stage): \(shown)")
            let warning = "standard output was not being read; skipped \(130 - shown.count) readings\n"
            #expect(result.errors == "\(stage.prefix { $0 != " " }): warning: \(warning)")
        }
    }

    @Test(.fault(31), arguments: ["price-format", "price-cache --file quote.json"])
    func `a reader that reads again only after the end gets the last reading`(stage: String) {
        let folder = TemporaryFolder()
        let command = """
            cd \(folder.path); price-clock --interval 100ms -n 130 | (\(source)) | \(stage) | { head -c 1; sleep 16; cat; }
            """
        let shown = prices(RunningProgram.shell(command))
        #expect(shown.first == 1 && shown.last == 130 && shown.count < 125)
    }

    @Test(.fault(31)) func `the one reading of --once waits for its reader, however slow it is`() {
        let fetch = "price-fetch --once --stream 'echo \"{\\\"c\\\":1.5}\"; cat' --price /c"
        let full = "head -c 65536 /dev/zero; \(fetch); echo $? >&2"
        let result = RunningProgram.shell("{ \(full); } | { sleep 11; tail -c 200; }")
        #expect(result.errors == "0\n" && result.output.contains(#""value":"1.5""#))
    }

    @Test(.fault(31)) func `a recording is written in full, however slow its reader is`() {
        let folder = TemporaryFolder()
        // Not the time of the other tests: that is now once.
        let ticks = (0..<5000).map { Tick(number: $0, at: Timestamp("2024-03-01T00:00:00.000Z")!) }
        let lines = ticks.map { Reading(answering: $0, anyQuote(), from: "binance").text + "\n" }
        folder.write("recording", lines.joined())
        let command = "price-format < \(folder.path)/recording | { sleep 11; cat; }"
        let result = RunningProgram.shell(command)
        #expect(result.lines.count == 5000)
        #expect(result.errors == "")
    }
}
