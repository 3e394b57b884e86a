import PipeCommon
import Testing

/// The words on the command line, and the help beside them.
struct CommandLineTests {
    private let manual = Manual(
        program: "price-test", sentence: "tests", synopsis: ["[--file FILE] WORD"],
        options: [
            .init("--file", value: "FILE", help: "a file"), .init("-n", value: "COUNT", help: "a count"),
            .init("--once", help: "a flag"), .init("--wait", value: "DURATION", help: "a time"),
        ])

    private func parse(_ words: String...) throws -> Arguments {
        try Arguments(words, manual)
    }

    @Test func `a value stands behind its option, or behind an equals sign`() throws {
        #expect(try parse("--file", "a").text("--file") == "a")
        #expect(try parse("--file=a=b").text("--file") == "a=b")
        #expect(try parse("--file=").text("--file") == "")
        #expect(try parse("--file", "--once").text("--file") == "--once")
        #expect(try parse("-n", "3").text("-n") == "3")
    }

    @Test func `the last one wins, and what was not given is nil`() throws {
        let sut = try parse("--file=a", "--file", "b")
        #expect(sut.text("--file") == "b" && sut.text("-n") == nil && !sut.has("--once"))
    }

    @Test func `operands may stand among the options; two dashes end the options`() throws {
        #expect(try parse("a", "--once", "-", "b").operands == ["a", "-", "b"])
        #expect(try parse("--once", "--", "--file", "--").operands == ["--file", "--"])
    }

    @Test func `-h and --help are one`() throws {
        #expect(try parse("-h").has("--help") && parse("--help").has("--help"))
    }

    @Test(arguments: [
        (["--wrong"], "unknown option --wrong"), (["--wrong=1"], "unknown option --wrong"),
        (["-x"], "unknown option -x"),
        (["--fil", "a"], "unknown option --fil"), (["--on"], "unknown option --on"),
        (["-n3"], "unknown option -n3"),
        (["--file"], "--file needs a value"), (["--once=1"], "--once takes no value"),
    ])
    func `names are exact, and values belong where the table has them`(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try Arguments(words, manual) }
    }

    @Test func `a duration is a number with a unit, of at least a millisecond`() throws {
        #expect(try parse("--wait", "800ms").duration("--wait") == .milliseconds(800))
        #expect(try parse().duration("--wait") == nil)
        #expect(try parse("--wait=0").duration("--wait", from: .zero) == .zero)
        let message = "--wait 0: not a duration of at least 1 ms, such as 800ms or 1s"
        #expect(throws: UsageError(message)) { try parse("--wait", "0").duration("--wait") }
    }

    @Test(arguments: [
        ("800ms", 800), ("1s", 1000), ("1", 1000), ("0.25", 250), ("1.5s", 1500), ("1.5m", 90_000),
        ("2h", 7_200_000),
        ("7d", 604_800_000), ("0", 0), ("0.8s", 800), ("0100ms", 100),
    ])
    func `durations`(text: String, milliseconds: Int) {
        #expect(Duration(parsing: text) == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "ms", "-1s", "+1s", "1x", "1.s", ".5s", "1e3", " 1s", "1 s", "1s ", "1.2.3s", "１s", "1S",
        "9999999999s",
    ])
    func `what is no duration`(text: String) {
        #expect(Duration(parsing: text) == nil)
    }

    @Test func `the help has the sentence, the calls and every option of the table`() {
        let lines = manual.usage.split(separator: "\n").map(String.init)
        #expect(lines[0] == "price-test: tests")
        #expect(lines[1] == "Usage: price-test [--file FILE] WORD")
        for option in manual.options {
            #expect(
                lines.contains {
                    $0.hasPrefix("  \(option.names.joined(separator: ", "))") && $0.hasSuffix(option.help)
                })
        }
        #expect(manual.option(named: "--help") != nil && manual.option(named: "--version") != nil)
    }
}
