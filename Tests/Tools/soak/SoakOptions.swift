import PipeCommon

struct SoakOptions: CommandOptions {
    var ticks = 100_000
    var interval = Duration.milliseconds(10)
    var seed: UInt64 = 1
    var slack = Duration.milliseconds(50)
    var symbols = 1
    var transport = Transport.plain
    var hasOddProcesses = false
    /// The number of messages to push to `price-fetch` alone; nil to run the whole pipeline instead.
    var messages: Int?

    static let command = Command<SoakOptions>(
        "soak",
        "runs the whole pipeline against misbehaving servers and checks each line",
        options: [
            Option("--ticks", "COUNT", \.ticks, .count(in: 1...10_000_000), "stop after COUNT ticks"),
            Option("--interval", "DURATION", \.interval, .duration(), "print ticks every DURATION"),
            Option(
                "--seed", "NUMBER", \.seed, ValueForm("a whole number") { UInt64($0) },
                "derive the faults from NUMBER; the same number repeats the same faults"),
            Option(
                "--slack", "DURATION", \.slack, .duration(), "accept a line up to DURATION after its budget"),
            Option(
                "--symbols", "COUNT", \.symbols, .count(in: 1...100),
                "request the prices of COUNT symbols; some sources return several prices in one answer"),
            Option(
                "--transport", "NAME", \.transport,
                ValueForm("plain, tls or http2", text: \.rawValue) { Transport(rawValue: $0) },
                "query the servers over NAME: plain, tls or http2"),
            Option(
                "--processes", \.hasOddProcesses,
                "make the source processes misbehave; the store and standard error may also fail"
            ).excluding("--symbols", "--transport"),
            Option(
                "--messages", "COUNT", \.messages, .count(in: 1...9_999_999),
                "push COUNT messages at full rate to price-fetch alone instead of running the pipeline"),
        ],
        notes: """
            The budget of a tick is ten intervals, but at most one second. The time limit of
            the primary is 80% of the budget. With 25 symbols, the interval must be at
            least 200ms. Programs are killed only during the first third of the ticks. Once
            the programs have settled after that, their memory must stay nearly constant.
            The exit status is 70 if an invariant is broken.

            scripts/soak --rows runs the fault tests and a few others at full size instead.
            """)

    var budget: Duration { min(interval * 10, .seconds(1)) }
    var timeout: Duration { budget * 4 / 5 }
}
