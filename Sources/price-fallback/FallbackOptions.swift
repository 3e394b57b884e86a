import PipeCommon

struct FallbackOptions: CommandOptions {
    var timeout = Duration.milliseconds(800)
    var budget = Duration.seconds(1)
    var hedge: Duration?
    /// The number of failures in a row after which the primary is only probed; 0 disables this.
    var trip = 3
    /// The allowed difference between two sources' quotes; nil if every difference is allowed.
    var agree: Tolerance? = .usual
    var usesMedian = false
    /// The shell commands of the sources, with the primary's command first.
    var commands: [String] = []

    static let command = Command<FallbackOptions>(
        "price-fallback", "answers every tick with the best reading that fits the time budget",
        calls: [
            "[--timeout DURATION] [--budget DURATION] [--hedge DURATION] [--trip N] [--agree PERCENT|off] PRIMARY [FALLBACK...]",
            "--median [--timeout DURATION] [--agree PERCENT|off] SOURCE SOURCE SOURCE...",
        ],
        options: [
            Option(
                "--median", \.usesMedian,
                "query all sources for current prices and use the median of the quotes that agree"
            ).explained(
                """
                If the number of quotes is even, the lower of the two quotes in the middle is used.
                Quotes that differ from the middle quote by more than the percentage set with --agree are dropped.
                The reading contains a quote only if the quotes of more than half of the sources remain; sources with the same name count as one.
                """
            ).excluding("--budget", "--hedge", "--trip"),
            Option(
                "--timeout", "DURATION", \.timeout, .duration(),
                "wait at most DURATION for the primary's answer"
            ).explained(
                """
                With --median, this limit applies to the answers of all sources.
                For candles, it always applies to the primary; with --median, if it is longer than 1s, also to the other sources.
                """),
            Option(
                "--budget", "DURATION", \.budget, .duration(),
                "answer each tick within DURATION"
            ).explained(
                """
                A longer --timeout is shortened to this limit.
                No further sources are queried after this time.
                """),
            Option(
                "--hedge", "DURATION", \.hedge, .duration(from: .zero),
                "query the fallbacks if the primary does not answer within DURATION",
                default: "the value of --timeout"),
            Option(
                "--trip", "N", \.trip, .count(in: 0...999_999),
                "after N failed ticks in a row, stop waiting for the primary and only probe it; 0 disables this"
            ).explained(
                """
                The failed ticks of each symbol are counted separately, and ticks for candles are not counted.
                Failures of the kind expired, which come from a store, are not counted either.
                While the primary is only probed, ticks are sent to the fallbacks immediately.
                Such a tick waits for the primary only if all fallbacks fail or are outvoted, or if the tick is disputed.
                As soon as the primary returns a quote in time for a tick that is not disputed, ticks wait for the primary again.
                """),
            Option(
                "--agree", "PERCENT|off", \.agree, .tolerance,
                "if the prices of two sources differ by more than PERCENT, query all sources and let them vote"
            ).explained(
                """
                PERCENT is a percentage of the lower price, from 0.1% to 1000%.
                With --median, sources do not vote: quotes that differ from the middle quote by more than PERCENT are dropped.
                With off, every difference is allowed.
                """),
        ],
        operands: Operands("PRIMARY [FALLBACK...]", \.commands),
        notes: """
            PRIMARY and each FALLBACK are shell commands that read ticks and write
            readings. Each command is started once, kept running, and restarted if it exits.
            A tick is sent to the primary. If the primary fails or times out, the tick is
            sent to all fallbacks at once. The quote of a source is used once every source
            listed before that source has failed or timed out.
            """)

    /// The initial name of each source.
    var names: [String] {
        commands.enumerated().map { initialName(of: $0.element, at: $0.offset + 1) }
    }

    var limits: TimeLimits {
        TimeLimits(
            timeout: timeout, budget: usesMedian ? max(timeout, budget) : budget, hedge: hedge ?? timeout)
    }

    func validate() throws(UsageError) {
        if commands.isEmpty {
            throw UsageError("missing PRIMARY: expected a shell command such as 'price-fetch binance'")
        }
        if usesMedian, commands.count < 3 {
            throw UsageError(
                "--median requires at least three sources, as in "
                    + "'price-fallback --median \"price-fetch coinbase\" \"price-fetch kraken\" \"price-fetch gemini\"'"
            )
        }
        if commands.contains(where: \.isEmpty) {
            throw UsageError("empty command: expected a shell command such as 'price-fetch binance'")
        }
    }
}

/// The name of a source in diagnostics. Until a reading states the source's own name, failures of the source usually
/// contain this name too. For a command such as `price-fetch binance`, the name is the second word, `binance`; for
/// other commands, it contains the source's position, as in `source 2`. The name is never the command itself, which may
/// contain a secret. Pure.
///
/// - Parameter position: the source's position, counted from 1.
func initialName(of command: String, at position: Int) -> String {
    let words = command.split(separator: " ")
    guard words.count > 1, words[0] == "price-fetch", words[1].utf8.allSatisfy(isLowercaseOrDigit) else {
        return "source \(position)"
    }
    return String(words[1])
}

private func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
