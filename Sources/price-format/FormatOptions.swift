import PipeCommon

struct FormatOptions: CommandOptions {
    enum Style: String, CaseIterable {
        case plain, bar, table, chart, screen, board
    }

    var style = Style.plain
    var color = ColorChoice.auto
    /// A Unicode date pattern; nil for the locale's default form.
    var timeFormat: String?
    var locale = ICULocale(identifier: "en_US")
    /// The file descriptor for requests to the clock; nil if no requests can be sent.
    var requests: Int?
    /// The symbol whose details the board shows first; nil if the user has not chosen a symbol.
    var open: Symbol?
    /// The path of the file with names and descriptions of symbols.
    var names: String?
    /// The path of the file with the user's holdings.
    var holdings: String?
    var order = BoardOrder.price
    /// The value of `--range`; nil if the option is not given.
    var givenRange: ChartRange?
    var range: ChartRange { givenRange ?? .day }
    var isLine = false
    var offlineHint: String?

    static let command = Command<FormatOptions>(
        "price-format", "formats readings for people to read",
        options: [
            Option(
                "--style", \.style,
                "choose plain (one line per reading, usually with a banner above it if the price is not new), bar (one line per beat, even on failure), table (one line per beat, with changes), chart (a chart of each symbol), screen (the details of one symbol, full-screen) or board (a row for each symbol, full-screen)"
            ),
            Option("--color", \.color, "use colors on a terminal (auto), always or never").explained(
                """
                If NO_COLOR is set and not empty, or on a dumb terminal, auto means never.
                With --style bar, colors are never used.
                """),
            Option(
                "--time-format", "FORMAT", \.timeFormat, datePattern,
                "print times in this Unicode date pattern, e.g. HH:mm:ss",
                default: "the locale's short form; in en_US: MMM d, HH:mm"
            ).explained(
                """
                By default, times in another year and the dates of day candles in a table include the year, and full-screen mode adds the seconds.
                FORMAT does not apply to the times below a chart, in the first line of the board, or in the list of the latest readings.
                """),
            Option(
                "--locale", "LOCALE", \.locale, knownLocale,
                "format times and prices for this language and region, e.g. de_DE"),
            Option(
                "--requests", "FD", \.requests, writableDescriptor,
                "write requests to the descriptor FD, so that the board can stop and start the clock and request candles"
            ),
            Option("--open", "SYMBOL", \.open, symbol, "open the board with the details of SYMBOL"),
            Option(
                "--names", "FILE", \.names, .text("a file"),
                "read names and descriptions of symbols from FILE; each line contains a symbol, its name and its description, separated by tabs"
            ).explained(
                """
                The description is optional.
                Lines that begin with # are comments.
                """),
            Option(
                "--holdings", "FILE", \.holdings, .text("a file"),
                "on the board and in a bar, show the value of the holdings in FILE; each line contains a symbol, an amount and, optionally, the price paid per unit"
            ).explained(
                """
                If several lines contain the same symbol, their amounts are added.
                A # at the beginning of a word begins a comment.
                """),
            Option(
                "--range", \.givenRange,
                "show this range in a chart until a key changes the range",
                default: "24h or, with --style chart, a range that suits the input"
            ).explained(
                """
                Without candles, --style chart shows the shortest range that covers all new, undisputed prices, but at most the given range.
                """),
            Option("--line", \.isLine, "draw a chart as a line instead of candlesticks"),
            Option("--sort", \.order, "sort the board in this order until a key changes the order").explained(
                "With price or change, the highest value comes first; with name, the symbols are in alphabetical order; with given, they stay in the order in which they appear."
            ),
            Option(
                "--offline-hint", "TEXT", \.offlineHint, .text("text"),
                "show TEXT while the price is missing because of a network error"
            ).explained(
                """
                A timeout does not count as a network error.
                The style plain states the reason for a missing price only at the first of several readings without a price, and it adds TEXT only if that reading contains a network error.
                The styles bar, table and chart do not show TEXT, and the list of the board shows it only while no symbol has a price.
                """),
        ],
        input: { _ in "readings" },
        notes: """
            Reads readings and prints prices with their times in the local time zone (TZ):

              Nov 21, 14:03 - $68,901.23

            --style screen and --style board fall back to plain when standard output is
            not a terminal or is a dumb terminal. The key q ends the program.
            A beat is a moment at which the prices of all symbols are requested.
            If NO_COLOR is set and not empty, colors are off by default.
            """)

    /// Rejects empty patterns, patterns that produce no text, and patterns that contain `%`. Patterns with `%` are
    /// probably meant for date(1); as Unicode patterns, they would print the `%` unchanged.
    private static let datePattern = ValueForm<String>("a Unicode date pattern such as HH:mm:ss") { pattern in
        if pattern.isEmpty || pattern.contains("%") { return nil }
        let sample = PatternFormatter(pattern, ICULocale(identifier: "en_US"), offset: 0).text(0)
        return sample.isEmpty ? nil : pattern
    }

    private static let writableDescriptor = ValueForm<Int>(
        "a descriptor of 3 or more that is open for writing"
    ) {
        guard let number = Int32($0), number > STDERR_FILENO else { return nil }
        let flags = fcntl(number, F_GETFL)
        return flags != -1 && flags & O_ACCMODE != O_RDONLY ? Int(number) : nil
    }

    private static let symbol = ValueForm<Symbol>("a symbol such as BTC-USD") { Symbol($0) }

    private static let knownLocale = ValueForm<ICULocale>(
        "a known locale such as en_US", text: \.identifier
    ) { name in
        // An encoding or a modifier, as in `de_DE.UTF-8` (a possible value of the variable LANG), is ignored.
        let identifier = name.prefix { $0 != "." && $0 != "@" }.map { $0 == "-" ? "_" : $0 }
        let locale = ICULocale(identifier: String(identifier))
        return locale.isKnown ? locale : nil
    }
}
