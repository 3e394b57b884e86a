import PipeCommon

struct CacheOptions: CommandOptions {
    var file: String?
    var maxAge: Duration?
    var isValidating = false
    var isAnswering = false
    var freshness = Duration.seconds(60)

    static let command = Command<CacheOptions>(
        "price-cache",
        "stores each new quote; when there is none, substitutes the last one and sets the error flag",
        calls: [
            "[--file FILE] [--max-age DURATION]",
            "--answer [--file FILE] [--fresh-for DURATION]",
            "--validate [--file FILE] [--max-age DURATION]",
        ],
        options: [
            Option(
                "--file", "FILE", \.file, .text("a path"),
                "store the quote in FILE instead of the user's cache directory"),
            Option(
                "--max-age", "DURATION", \.maxAge, .duration(),
                "ignore a stored quote this old or older, e.g. 90s or 7d"
            ).explained(
                """
                A quote dated more than a minute in the future was stored while the clock was wrong.
                Its age is unknown, so it is ignored, too.
                With --validate, the file of such a quote is deleted.
                The closing price of a candle does not age.
                """),
            Option(
                "--answer", \.isAnswering,
                "read ticks instead of readings, and answer them from the store: be a source"
            ).explained(
                """
                A tick is answered with the stored quote while that is fresh, otherwise with the failure expired.
                """
            ).excluding("--max-age", "--validate"),
            Option(
                "--fresh-for", "DURATION", \.freshness, .duration(),
                "with --answer, use a stored quote that is younger than DURATION"
            ).explained("The closing price of a candle is always fresh.").requiring("--answer"),
            Option(
                "--validate", \.isValidating,
                "delete stored files that cannot be read, fail their checksum, or are too old, and exit"
            ).explained(
                """
                Too old is what --max-age says; the age of a file of candles is that of its newest quote.
                One line on standard output for each deleted file; standard input is not read.
                """),
        ],
        input: "readings",
        notes: """
            Reads readings and writes each one with an error flag. A reading with a new
            quote passes through with false and is stored; any other gets the last known
            quote for its symbol and true.

            Quotes are stored in ${XDG_CACHE_HOME:-~/.cache}/btc-price/SYMBOL.json, those of
            candles in SYMBOL~1d.json beside it.
            """)

    var location: StoreLocation { file.map(StoreLocation.file) ?? .cacheDirectory }
    var ageLimit: AgeLimit { AgeLimit(maxAge) }
}
