import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The command-line parser, the help text and the manual text, which are all based on one table of options.
@Suite(.unit) struct CommandLineTests {
    private enum Mode: String, CaseIterable { case fast, safe, slow }

    private struct Options: CommandOptions {
        var file: String?
        var count = 2
        var mode = Mode.safe
        var wait = Duration.milliseconds(800)
        var isOnce = false
        var words: [String] = []

        static let command = Command<Options>(
            "price-test", "tests what a table of options does with the words on a command line, for all four",
            options: [
                Option(
                    "--file", "FILE", \.file, .text("a path"), "read FILE", default: "standard input"
                ).excluding("--once", "WORD"),
                Option(
                    "-n", "COUNT", \.count, .count(in: 1...9), "stop after COUNT ticks"
                ).requiring("--mode"),
                Option(
                    "--mode", \.mode,
                    "how to go on when the primary is silent and no fallback has a quote either"),
                Option("--wait", "DURATION", \.wait, .duration(), "wait").explained(
                    "Longer is safer.\nSee --mode."),
                Option("--once", \.isOnce, "do it once"),
            ],
            operands: Operands("WORD [MORE]", \.words, atMost: 2), notes: "A note.")

        func validate() throws(UsageError) {
            if words.contains("bad") { throw UsageError("bad is not a good word") }
        }
    }

    private func parse(_ words: String...) throws -> Options {
        try Options(parsing: words)
    }

    private func printed(_ word: String) throws -> String {
        guard case .print(let text) = try Options.command.request([word]) else { return "" }
        return text
    }

    @Test func `a value is the next word, follows an equals sign, or is attached to a short option`() throws {
        #expect(try parse("--file", "a").file == "a")
        #expect(try parse("--file=a=b").file == "a=b")
        #expect(try parse("--file", "--once").file == "--once")
        #expect(try parse("--mode=fast", "-n", "3").count == 3)
        #expect(try parse("--mode", "fast", "-n3").count == 3)
    }

    @Test func `a repeated option takes its last value, and a missing option takes its default`() throws {
        let sut = try parse("--file=a", "--file", "b")
        #expect(sut.file == "b" && sut.count == 2 && sut.mode == .safe && !sut.isOnce && sut.words == [])
    }

    @Test func `options and operands may be mixed until two dashes end the options`() throws {
        #expect(try parse("a", "--once", "-").words == ["a", "-"])
        #expect(try parse("--once", "--", "--file", "--").words == ["--file", "--"])
    }

    @Test(arguments: [
        (["--wrong"], "unknown option --wrong"), (["--wrong=1"], "unknown option --wrong"),
        (["-x"], "unknown option -x"), (["-x3"], "unknown option -x"),
        (["--fil", "a"], "unknown option --fil"), (["--Mode=fast"], "unknown option --Mode"),
        (["-once"], "unknown option -o"), (["a", "b", "once"], "unexpected argument 'once'"),
        (["--file"], "missing value for --file"), (["--once=1"], "--once takes no value"),
        (["-hx"], "-h takes no value"), (["a", "b", "c"], "unexpected argument 'c'"),
        (["--file="], "invalid value '' for --file: expected a path"),
        (["--mode", "x"], "invalid value 'x' for --mode: expected fast, safe or slow"),
        (["--mode=fast", "-n0"], "invalid value '0' for -n: expected a whole number from 1 to 9"),
        (["-n", "+1"], "invalid value '+1' for -n: expected a whole number from 1 to 9"),
        (
            ["--wait", "0"],
            "invalid value '0' for --wait: expected a duration of at least 1ms, such as 800ms or 1s"
        ),
        (["--once", "--file", "a"], "--file cannot be combined with --once"),
        (["--file", "a", "b"], "--file cannot be combined with WORD"), (["-n3"], "-n requires --mode"),
        (["bad"], "bad is not a good word"),
    ])
    func `an invalid command line is rejected, and the message says why`(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try Options(parsing: words) }
    }

    @Test(arguments: ["-h", "--help"])
    func `the help shows a summary, the usage, the options and their defaults in 80 columns`(word: String)
        throws
    {
        let expected = """
            price-test: tests what a table of options does with the words on a command line,
            for all four

            Usage: price-test [--file FILE] [-n COUNT] [--mode fast|safe|slow]
                              [--wait DURATION] [--once] WORD [MORE]

              --file FILE            read FILE (default: standard input)
              -n COUNT               stop after COUNT ticks (default: 2)
              --mode fast|safe|slow  how to go on when the primary is silent and no fallback
                                     has a quote either (default: safe)
              --wait DURATION        wait (default: 800ms)
              --once                 do it once
              -h, --help             print a summary of the options and exit
              --version              show the version and exit

            DURATION is a number followed by ms, s, m, h or d; a bare number is in seconds.

            A note.
            """
        #expect(try printed(word) == expected)
    }

    @Test func `the help or the version is printed even if the rest of the command line is wrong`() throws {
        for words in [["--wait", "x", "--help"], ["a", "b", "c", "--version"]] {
            guard case .print = try Options.command.request(words) else {
                Issue.record("\(words)")
                continue
            }
        }
        #expect(try printed("--version") == "price-test \(version)")
    }

    @Test func `--help=mdoc generates the OPTIONS section of the manual page from the option table`() throws {
        let text = try printed("--help=mdoc")
        #expect(text.hasPrefix(".Sh OPTIONS\n.Bl -tag -width Ds\n.It Fl -file Ar FILE\nRead FILE.\n"))
        #expect(
            text.contains(
                "\nThe default is 800ms.\nLonger is safer.\nSee \\-\\-mode.\n.It Fl -once\nDo it once.\n"))
        let form = "is a number followed by ms, s, m, h or d; a bare number is in seconds."
        #expect(text.hasSuffix(".El\n.Pp\nA\n.Ar DURATION\n\(form)"))
    }
}
