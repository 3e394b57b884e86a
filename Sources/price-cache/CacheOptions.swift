import PipeCommon

struct CacheOptions: CommandOptions {
    var file: String?
    var maxAge: Duration?
    var isValidating = false
    var requiresQuote = false
    var isAnswering = false
    var hasOnlyCandles = false
    var freshness = Duration.seconds(60)

    static let command = Command<CacheOptions>(
        "price-cache",
        "stores new quotes; if a quote is missing, substitutes the last quote and sets the error flag",
        calls: [
            "[--file FILE] [--max-age DURATION] [--require-quote]",
            "--answer [--candles] [--file FILE] [--fresh-for DURATION] [--max-age DURATION]",
            "--validate [--file FILE] [--max-age DURATION]",
        ],
        options: [
            Option(
                "--file", "FILE", \.file, .text("a path"),
                "use FILE as the store instead of the user's cache directory"
            ).explained("The file is for one symbol; storing a quote of another symbol in it is an error."),
            Option(
                "--max-age", "DURATION", \.maxAge, .duration(),
                "ignore a last known quote whose age is at least DURATION, e.g. 90s or 7d"
            ).explained(
                """
                A quote dated more than a minute in the future is also ignored.
                The age of such a quote is unknown, because a clock is or was wrong.
                For the quote of a closed candle, the age limit applies only with --validate.
                If that quote is dated in the future, it is ignored only with --answer or --validate.
                With --answer, the shorter of --fresh-for and --max-age applies.
                """),
            Option(
                "--require-quote", \.requiresQuote,
                "exit with status 69 if all input was valid and no reading contained a quote, not even a stored quote"
            ).excluding("--answer", "--validate"),
            Option(
                "--answer", \.isAnswering,
                "act as a source: read ticks instead of readings and answer each tick from the store"
            ).explained(
                """
                If the stored quote is fresh, the reading contains this quote.
                Otherwise, the reading contains a failure of the kind expired.
                """
            ).excluding("--validate"),
            Option(
                "--candles", \.hasOnlyCandles,
                "with --answer, use the store only for candles; other ticks fail immediately with the kind expired"
            ).requiring("--answer"),
            Option(
                "--fresh-for", "DURATION", \.freshness, .duration(),
                "with --answer, use a stored quote only if it is younger than DURATION"
            ).explained("The quote of a closed candle is always fresh unless it is dated in the future.")
                .requiring("--answer"),
            Option(
                "--validate", \.isValidating,
                "delete stored files that are damaged or too old, and exit"
            ).explained(
                """
                If only some lines of a candle file are damaged or contain quotes that belong in another file, only these lines are deleted, unless the file is too old or is 1 MiB or larger.
                With --max-age, a file is too old if its newest quote is too old, even if that quote's candle is closed.
                A quote dated more than a minute in the future does not count as the newest quote.
                With --max-age, a file that contains only such quotes is too old.
                A file that cannot be read is reported and kept, since reading it may succeed later.
                A file that contains only quotes that belong in another file, such as quotes of another symbol, is also reported and kept.
                One line is printed for each file that is deleted or repaired, except temporary files; standard input is not read.
                """),
        ],
        input: { $0.isValidating || $0.isAnswering ? nil : "readings" },
        notes: """
            Reads readings and writes each of them with an error flag. If a reading contains
            a new quote, the flag is false, and the quote is stored unless it is disputed.
            If a reading contains no quote, the flag is true, and the last known quote, if
            any, is substituted unless --max-age excludes it.

            Quotes are stored in ${XDG_CACHE_HOME:-~/.cache}/btc-price/SYMBOL.json, and
            candles in files such as SYMBOL~1d.json in the same folder.
            """)

    var location: StoreLocation { file.map(StoreLocation.file) ?? .cacheDirectory }
    var answerFreshness: Freshness { Freshness(limit: min(freshness, maxAge ?? freshness)) }
    var ageLimit: AgeLimit { AgeLimit(maxAge) }
}
