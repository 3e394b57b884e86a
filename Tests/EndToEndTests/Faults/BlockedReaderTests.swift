import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Readers that stop reading for longer than a stage waits for them, and then resume.
@Suite(.long) struct BlockedReaderTests {
    /// A source that answers each tick with the tick's number plus 1 as the price.
    private let source = """
        while read -r tick; do n=${tick#*:}; printf '%s,"source":"x","quote":{"value":"%d.00","currency":"USD",\
        "timestamp":"2026-11-21T14:03:07.412Z"}}\\n' "${tick%?}" "$((${n%%,*} + 1))"; done
        """

    private func prices(_ result: RunningProgram.Result) -> [Int] {
        let prices = result.lines.compactMap { $0.firstMatch(of: /[$"]([0-9,]+)\.00/)?.1 }
        return prices.compactMap { Int($0.replacing(",", with: "")) }
    }

    /// Starts a pipeline whose reader reads one byte, waits for `pause` seconds and then reads the rest.
    private func start(_ stage: String, ticks: Int, pause: Int, in folder: TemporaryFolder) -> RunningProgram
    {
        let before = stage.hasPrefix("price-fallback") ? "cat" : "(\(source))"
        let reader = "{ head -c 1; sleep \(pause); cat; }"
        let pipeline = "price-clock --interval 100ms -n \(ticks) | \(before) | \(stage) | \(reader)"
        return RunningProgram(
            "bash", ["-c", "cd \(folder.path); " + pipeline], environment: ["SOURCE": source])
    }

    private let stages = ["price-format", "price-cache --file quote.json", "price-fallback \"$SOURCE\""]

    private func warning(of stage: String, _ skipped: Int) -> String {
        "\(stage.prefix { $0 != " " }): warning: standard output was not being read; skipped \(skipped) lines\n"
    }

    @Test(.fault(31))
    func `a reader that resumes gets current prices, and a warning counts the skipped lines`() throws {
        // When one reader of each stage resumes while ticks are still arriving, and a second reader resumes
        // after the last tick
        let folders = stages.map { _ in (TemporaryFolder(), TemporaryFolder()) }
        let running = zip(stages, folders).map {
            (start($0, ticks: 160, pause: 12, in: $1.0), start($0, ticks: 130, pause: 15, in: $1.1))
        }
        for (stage, running) in zip(stages, running) {
            // Then the first reader gets the readings from the first 10 s, after which it counts as stalled.
            // After a gap, it gets current readings. The lower bounds allow for a busy machine, on which the
            // clock may skip beats.
            let current = running.0.finish(within: .seconds(60))
            let shown = prices(current)
            #expect(shown == shown.sorted() && shown.first == 1 && shown.last == 160)
            let gap = try #require(zip(shown, shown.dropFirst()).first { $1 - $0 > 1 })
            #expect((60...108).contains(gap.0) && gap.1 >= 105)
            #expect(shown.count + (gap.1 - gap.0 - 1) == 160)
            #expect(current.errors == warning(of: stage, gap.1 - gap.0 - 1))
            // And the second reader gets the readings from the first 10 s, and then only the last reading
            let late = running.1.finish(within: .seconds(60))
            let last = prices(late)
            #expect(
                (60...108).contains(last.count) && last.first == 1 && last.last == 130, "\(stage): \(last)")
            #expect(late.errors == warning(of: stage, 130 - last.count))
        }
    }

    @Test(.fault(31))
    func `with --once or a recording, no line is skipped even if the reader is slow`() {
        let fetch = "price-fetch --once --stream 'echo \"{\\\"c\\\":1.5}\"; cat' --price /c"
        let full = "head -c 65536 /dev/zero; \(fetch); echo $? >&2"
        let once = RunningProgram("bash", ["-c", "{ \(full); } | { sleep 11; tail -c 200; }"])
        once.closeInput()
        // Ticks from 2024 count as recorded, because they are far from the current time. The time that most
        // tests use, in 2026, could be close to the current time.
        let ticks = (0..<5000).map { Tick(number: $0, at: Timestamp("2024-03-01T00:00:00.000Z")!) }
        let folder = TemporaryFolder()
        folder.write(
            "recording",
            ticks.map { Reading(answering: $0, anyQuote(), from: "binance").text + "\n" }.joined())
        let result = RunningProgram.shell("price-format < \(folder.path)/recording | { sleep 11; cat; }")
        #expect(result.lines.count == 5000 && result.errors == "")
        let reading = once.result()
        #expect(reading.errors == "0\n" && reading.output.contains(#""value":"1.5""#))
    }
}
