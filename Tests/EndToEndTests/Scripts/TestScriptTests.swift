import Foundation
import TestSupport
import TestTraits
import Testing

/// `scripts/test`, run with a replacement for `swift` that prints a given text.
@Suite(.endToEnd) struct TestScriptTests {
    private let folder = TemporaryFolder()

    /// Runs a copy of the script.
    ///
    /// - Parameters:
    ///   - options: the options of the script.
    ///   - printed: the output of `swift test`.
    ///   - status: the exit status of `swift test`.
    ///   - lint: the shell command that runs instead of the linter.
    private func run(
        _ options: String = "", printing printed: String = "", status: Int = 0, lint: String = "exit 0"
    ) throws -> RunningProgram.Result {
        for name in ["scripts", "tools"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        let script = try String(
            contentsOf: Programs.project.appending(path: "scripts/test"), encoding: .utf8)
        folder.write("scripts/test", script)
        folder.write("printed", printed)
        folder.addTool("tools/shellcheck", "exit 0")
        folder.addTool(
            "tools/swift",
            """
            case $1 in
                format) \(lint) ;;
                test) echo "$*" $BTC_PRICE_TARGETS > \(folder.path)/options; cat \(folder.path)/printed; exit \(status) ;;
            esac
            """)
        return RunningProgram.shell(
            "PATH=\(folder.path)/tools:$PATH; bash \(folder.path)/scripts/test \(options)")
    }

    private static let failing = """
        ◇ Test run started.
        ↳ Testing Library Version: 6.3.1
        written by a test
        ✘ Test "a sum" recorded an issue with 1 argument number → 3 at SumTests.swift:8:9: Expectation failed: 3 == 4
        with a second line
        ± inserted [3], removed [4]
        ↳ seed 2026
        ✘ Test "a product" recorded an issue at SumTests.swift:9:9: Expectation failed: 6 == 7
        ✘ Test "a sum" recorded an issue with 1 argument number → 5 at SumTests.swift:8:9: Expectation failed: 5 == 6
        ↳ seed 2027
        ✘ Test run with 3 tests in 1 suite failed after 0.2 seconds with 3 issues.

        """

    private let failed = """

        == Failed
        ✘ Test "a sum" recorded an issue with 1 argument number → 3 at SumTests.swift:8:9: Expectation failed: 3 == 4
        with a second line
        ± inserted [3], removed [4]
        ↳ seed 2026
        ↳ the first of 2 issues in this test
        ✘ Test "a product" recorded an issue at SumTests.swift:9:9: Expectation failed: 6 == 7
        ✘ Test run with 3 tests in 1 suite failed after 0.2 seconds with 3 issues.

        """

    @Test(arguments: [
        ("--filter Sum", "--filter Sum"), ("--fast", "--scratch-path .build-fast --quiet fast-tests"),
    ])
    func `the output ends with a list of the failed tests, both with and without --fast`(
        option: String, words: String
    ) throws {
        let result = try run(option, printing: Self.failing, status: 1)
        // The expected output is not a test argument: the log of a run contains the arguments of tests, so the
        // failures in the expected output would be taken for real failures.
        let printed = option == "--fast" ? "written by a test\n" : Self.failing
        #expect(result.status == 1 && result.output.hasSuffix("\n== Tests\n\(printed)\(failed)"))
        let used = try #require(folder.contents("options"))
        #expect(used.hasPrefix("test --skip-build --disable-xctest \(words)\n"))
    }

    @Test func `a run without failures ends with the summary`() throws {
        let summary = "✔ Test run with 2 tests in 1 suite passed after 0.1 seconds.\n"
        let result = try run("--fast", printing: "◇ Test run started.\n\(summary)")
        #expect(result.status == 0 && result.output.hasSuffix("\n== Tests\n\(summary)"))
    }

    @Test(arguments: ["", "--fast"])
    func `if a fatal error ends the run, the output ends with the error's message`(option: String) throws {
        let crash = "TimeLimit.swift:41: Fatal error: the test \"a sum\" is stuck\n"
        let result = try run(option, printing: "\(crash)\n*** Program crashed\n", status: 1)
        #expect(result.status == 1)
        #expect(result.output.hasSuffix("\n== Tests\n\(crash)\n*** Program crashed\n\(crash)"))
    }

    @Test(arguments: [("", ""), ("--fast", ", or leave out --fast")])
    func `a filter that matches no test causes an error with a hint`(option: String, more: String) throws {
        let summary = "✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.\n"
        let result = try run("--filter NoSuchTest \(option)", printing: summary)
        #expect(result.status == 64)
        #expect(result.errors == "test: error: no test matches\ntest: try 'swift test list'\(more)\n")
    }

    @Test
    func `a formatting error is reported with a hint to run scripts/format, and nothing is built`() throws {
        let result = try run(lint: "echo 'A.swift:1:1: error: [LineLength] line is too long' >&2; exit 1")
        #expect(
            result.status == 1 && result.output == "\n== Swift format\n" && folder.contents("options") == nil)
        #expect(
            result.errors == """
                A.swift:1:1: error: [LineLength] line is too long
                test: error: the linter has found errors
                test: try 'scripts/format', then shorten the lines that are still too long

                """)
    }
}
