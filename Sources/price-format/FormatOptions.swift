import PipeCommon

struct FormatOptions: CommandOptions {
    enum Style: String, CaseIterable {
        case plain, bar, screen, board
    }

    var style = Style.plain
    var color = ColorChoice.auto
    /// A Unicode date pattern; nil for the short form of the locale.
    var timeFormat: String?
    var locale = ICULocale(identifier: "en_US")

    static let command = Command<FormatOptions>(
        "price-format", "prints each reading for people",
        options: [
            Option(
                "--style", \.style,
                "plain: one line per reading, two on failure; bar: always one line; screen: full-screen; board: a table of all symbols"
            ),
            Option("--color", \.color, "when to use colors; auto: on a terminal").explained(
                "If NO_COLOR is set and not empty, colors are off unless --color=always is given."),
            Option(
                "--time-format", "FORMAT", \.timeFormat, datePattern, "Unicode date pattern, e.g. HH:mm:ss",
                default: "the locale's short form, MMM d, HH:mm in en_US"),
            Option(
                "--locale", "LOCALE", \.locale, knownLocale,
                "language and region of times and prices, e.g. de_DE"),
        ],
        input: "readings",
        notes: """
            Reads readings and writes, in the local time zone (TZ):

              Nov 21, 14:03 - $68,901.23

            --style screen and --style board fall back to plain when standard output is
            not a terminal. The key q ends them.
            Setting NO_COLOR turns colors off.
            """)

    /// `%` would be printed as it is: the patterns of date(1) have another form.
    private static let datePattern = ValueForm<String>("a Unicode date pattern such as HH:mm:ss") { pattern in
        pattern.isEmpty || pattern.contains("%") ? nil : pattern
    }

    private static let knownLocale = ValueForm<ICULocale>(
        "a known locale such as en_US", text: \.identifier
    ) { name in
        // As in LANG: `de_DE.UTF-8`.
        let identifier = name.prefix { $0 != "." && $0 != "@" }.map { $0 == "-" ? "_" : $0 }
        let locale = ICULocale(identifier: String(identifier))
        return locale.isKnown ? locale : nil
    }
}
