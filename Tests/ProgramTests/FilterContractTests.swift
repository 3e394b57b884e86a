import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The contract that the four filters share, including the exit statuses.
@Suite(.endToEnd) struct FilterContractTests {
    @Test(arguments: FilterUnderTest.all)
    func `the help and the version go to standard output`(filter: FilterUnderTest) {
        for option in ["--help", "-h"] {
            let result = RunningProgram.run(filter.program, [option])
            #expect(result.status == 0 && result.errors == "")
            #expect(result.lines.first?.hasPrefix("\(filter.program): ") == true)
            #expect(result.output.contains("Usage: \(filter.program) "))
        }
        let result = RunningProgram.run(filter.program, ["--version"])
        #expect(
            result.status == 0 && result.errors == "" && result.output == "\(filter.program) \(version)\n")
    }

    @Test(arguments: FilterUnderTest.all)
    func `one Ctrl-D at a terminal ends a stage`(filter: FilterUnderTest) {
        let terminal = Terminal()
        terminal.type("echo be''gun; \(filter.command); echo end''ed $?\r")
        #expect(terminal.waitFor("begun\n"), "\(terminal.screen)")
        terminal.type("\u{4}")
        #expect(terminal.waitFor("ended 0\n"), "\(terminal.screen)")
    }

    @Test(.fault(30), arguments: FilterUnderTest.all, BadLine.all)
    func `a bad line is skipped and reported with its number, and the status is 65`(
        filter: FilterUnderTest, bad: BadLine
    ) {
        let result = filter.run("\(filter.good(1))\n\(bad.text)\n\(filter.good(3))\n")
        #expect(result.status == 65 && result.lines.count == 2)
        #expect(result.errors.hasPrefix("\(filter.program): warning: line 2: "))
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    @Test(arguments: FilterUnderTest.all)
    func `a missing last newline, carriage returns, blank lines and unknown members are accepted`(
        filter: FilterUnderTest
    ) {
        let unknown = filter.good(3).dropLast() + #","unknown":{"a":[1,null]}}"#
        let result = filter.run("\n\(filter.good(1))\r\n\r\n  \n\(filter.good(2))\n\(unknown)")
        #expect(result.status == 0 && result.lines.count == 3 && result.errors == "")
        #expect(!result.output.contains("\r") && !result.output.contains("unknown"))
    }

    @Test(arguments: FilterUnderTest.all)
    func `the output for a line is printed before the next input line arrives`(filter: FilterUnderTest) {
        let running = RunningProgram(filter.program, filter.arguments)
        for number in 1...3 {
            running.write(filter.good(number) + "\n")
            #expect(running.readLine() != nil)
        }
        #expect(running.finish().status == 0)
    }

    @Test(.fault(29), arguments: FilterUnderTest.all)
    func `a stage ends quietly if its reader goes away, even while there is no input`(filter: FilterUnderTest)
    {
        let command = "(echo '\(filter.good(1))'; exec sleep 20) | (\(filter.command); echo $? >&2) | head -1"
        let running = RunningProgram("bash", ["-c", command])
        #expect(running.readLine() != nil)
        #expect(running.errors(containing: "141\n", within: .seconds(5)))
        #expect(running.errors == "141\n")
    }

    @Test(.fault(29), .enabled(if: isLinux, "needs /dev/full"), arguments: FilterUnderTest.all)
    func `a failure to write the output is reported, and the status is 74`(filter: FilterUnderTest) {
        let result = RunningProgram.shell("echo '\(filter.good(1))' | \(filter.command) > /dev/full")
        #expect(result.status == 74)
        #expect(
            result.errors
                == "\(filter.program): error: cannot write to standard output: No space left on device\n")
    }
}
