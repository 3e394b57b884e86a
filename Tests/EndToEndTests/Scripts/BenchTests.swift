import TestSupport
import TestTraits
import Testing

/// The format of the benchmark's report, and the help of the scripts `bench` and `soak`. The figures in the report are
/// not checked, since they depend on the machine.
@Suite(.endToEnd) struct BenchTests {
    @Test(.enabled(if: isLinux, "needs /proc"))
    func `each row of the report shows whether its goal is met, and a missed goal causes status 70`() {
        // When
        let result = RunningProgram.run("bench", ["--quick", "start", "memory"])
        // Then
        #expect(result.lines.first?.contains(" cores of ") == true)
        let rows = result.lines.drop { !$0.hasPrefix("|") }
        #expect(rows.first == "| measure | ours | alternative | ratio | goal | met |")
        #expect(
            rows.dropFirst(2).map { $0.split(separator: "|")[0] } == [
                " time from the command to the first line ", " proportional memory (PSS), three sources ",
            ])
        let verdicts = rows.dropFirst(2).compactMap { $0.split(separator: "|").last }
        #expect(verdicts.count == 2 && Set(verdicts).isSubset(of: [" yes ", " NO "]))
        #expect(result.status == (verdicts.contains(" NO ") ? 70 : 0))
    }

    @Test(arguments: ["bench", "soak"])
    func `the scripts bench and soak print their help without building the programs`(name: String) {
        let script = Programs.project.appending(path: "scripts/\(name)").path
        let result = RunningProgram.run(script, ["--help"], environment: ["PATH": "/usr/bin:/bin"])
        #expect(result.status == 0 && result.errors == "")
        #expect(result.output == RunningProgram.run(name, ["--help"]).output)
    }
}
