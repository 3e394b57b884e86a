import TestSupport
import TestTraits
import Testing

/// The measuring itself; what is measured depends on the machine.
@Suite(.endToEnd) struct BenchTests {
    @Test(.enabled(if: isLinux, "needs /proc"))
    func `every part has rows with our result, the other one, the ratio, the goal and whether it holds`() {
        // When
        let result = RunningProgram.run("bench", ["--quick", "start", "memory"])
        // Then
        #expect(result.status == 0 || result.status == 70)
        #expect(result.lines.first?.contains(" cores of ") == true)
        let rows = result.lines.drop { !$0.hasPrefix("|") }
        #expect(rows.first == "| measure | ours | the other | ratio | goal | holds |")
        #expect(
            rows.dropFirst(2).map { $0.split(separator: "|")[0] } == [
                " command to first line ", " proportional memory (PSS), three sources ",
            ])
        let holds = rows.dropFirst(2).allSatisfy { $0.hasSuffix("| yes |") }
        #expect(rows.dropFirst(2).allSatisfy { $0.hasSuffix("| yes |") || $0.hasSuffix("| NO |") })
        #expect(holds == (result.status == 0))
    }

    @Test func `an unknown part is a usage error`() {
        let result = RunningProgram.run("bench", ["speed"])
        #expect(result.status == 64 && result.errors.hasPrefix("bench: error: unknown part 'speed'\n"))
    }

    @Test(.enabled(if: isLinux && Programs.has("mosquitto_sub"), "needs mosquitto and its clients"))
    func `every viewer of a broker gets every line, and what that costs is shown`() {
        let script = Programs.project.appending(path: "scripts/bench-viewers").path
        let result = RunningProgram.run(script, ["10", "3"])
        #expect(result.status == 0 && result.errors == "")
        #expect(result.lines.first == "10 viewers, 3 lines, 30 of 30 deliveries" && result.lines.count == 3)
    }

    @Test(arguments: [["many"], ["0"], ["10", "3", "1"]])
    func `a wrong number of viewers is a usage error`(words: [String]) {
        let script = Programs.project.appending(path: "scripts/bench-viewers").path
        let result = RunningProgram.run(script, words)
        #expect(result.status == 64 && result.errors.hasPrefix("bench-viewers: error: expected [VIEWERS"))
    }

    @Test func `more viewers than files may be open are refused`() {
        let script = Programs.project.appending(path: "scripts/bench-viewers").path
        let result = RunningProgram.shell("ulimit -n 64; exec \(script.shellQuoted) 50")
        #expect(result.status == 69)
        #expect(
            result.errors == "bench-viewers: error: 64 open files are allowed, which are too few\n")
    }
}
