import PipeCommon

/// The words for times, prices, symbols and failures, in the user's locale and time format.
struct Wording {
    private let time: LocalTimeFormatter
    private let timeWithYear: LocalTimeFormatter
    /// Writes the year of a time, and that of now.
    private let years: (of: LocalTimeFormatter, now: LocalTimeFormatter)
    private let now: () -> Timestamp
    let money: MoneyFormatter
    /// Writes the time of day, with seconds.
    let clock: LocalTimeFormatter

    /// - Parameters:
    ///   - yearFormat: the format of a time that is not of this year.
    ///   - offset: the offset of local time in seconds at a time.
    init(
        timeFormat: String, withYear yearFormat: String, locale: ICULocale,
        offset: @escaping (Timestamp) -> Int = LocalTimeFormatter.systemOffset,
        now: @escaping () -> Timestamp = Timestamp.now
    ) {
        func formatter(_ format: String) -> LocalTimeFormatter {
            LocalTimeFormatter(format: format, locale: locale, offset: offset)
        }
        (time, timeWithYear) = (formatter(timeFormat), formatter(yearFormat))
        years = (formatter("y"), formatter("y"))
        clock = formatter(TimeFormat.clock(in: locale))
        self.now = now
        money = MoneyFormatter(locale: locale)
    }

    /// A time, with its year if that is not this one.
    ///
    /// - Parameter now: decides which year this one is. Nil for the wall clock.
    func text(_ time: Timestamp, at now: Timestamp?) -> String {
        let now = now ?? self.now()
        // No year begins within a minute.
        let isSame =
            time.milliseconds / 60_000 == now.milliseconds / 60_000
            || years.of.text(time) == years.now.text(now)
        return isSame ? self.time.text(time) : timeWithYear.text(time)
    }

    /// The text above a price that is not new.
    func banner(of reading: Reading, at now: Timestamp? = nil) -> String {
        let updated = reading.quote.map { text($0.timestamp, at: now ?? reading.at) } ?? "-"
        return "Failed to update value. Displaying last updated value from \(updated)"
    }

    /// Appends the name of a symbol and a blank, except for `BTC-USD`.
    func appendName(of symbol: Symbol, to text: inout ByteBuffer) {
        if symbol != .bitcoin { text.append("\(symbol.text) ") }
    }
}
