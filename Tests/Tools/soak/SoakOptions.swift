import PipeCommon

struct SoakOptions: CommandOptions {
    var ticks = 100_000
    var interval = Duration.milliseconds(10)
    var seed: UInt64 = 1
    var slack = Duration.milliseconds(50)
    var symbols = 1
    var transport = Transport.plain
    var hasOddProcesses = false
    /// The number of messages from a push feed; nil to run the whole pipeline instead.
    var messages: Int?

    static let command = Command<SoakOptions>(
        "soak",
        "drives the whole pipeline against servers that misbehave, and checks each line",
        options: [
            Option("--ticks", "COUNT", \.ticks, .count(in: 1...10_000_000), "stop after COUNT ticks"),
            Option("--interval", "DURATION", \.interval, .duration(), "print one tick per DURATION"),
            Option(
                "--seed", "NUMBER", \.seed, ValueForm("a number") { UInt64($0) },
                "schedule the faults by NUMBER; the same number repeats the same faults"),
            Option(
                "--slack", "DURATION", \.slack, .duration(), "accept a line until DURATION after its budget"),
            Option(
                "--symbols", "COUNT", \.symbols, .count(in: 1...100),
                "request COUNT symbols at every beat; some sources take several in one request"),
            Option(
                "--transport", "NAME", \.transport,
                ValueForm("plain, tls or http2", text: \.rawValue) { Transport(rawValue: $0) },
                "query the servers over NAME: plain, tls or http2"),
            Option(
                "--processes", \.hasOddProcesses,
                "let sources misbehave as processes, along with the store and standard error"),
            Option(
                "--messages", "COUNT", \.messages, .count(in: 1...9_999_999),
                "send COUNT messages of a push feed through price-fetch instead, at full rate"),
        ],
        notes: """
            The budget of a tick is ten intervals, at most a second, and the primary has
            80 % of it; 25 symbols need an interval of 200ms. Programs are killed in the
            first third of the ticks; after that none is, and memory must not grow. Ends
            with status 70 if an invariant is broken.

            scripts/soak --rows runs the tests of the faults at full size instead.
            """)

    var budget: Duration { min(interval * 10, .seconds(1)) }
    var timeout: Duration { budget * 4 / 5 }
}
