import PipeCommon

/// The words for times, prices, symbols and failures, in the user's locale and time format.
struct Wording {
    let time: LocalTimeFormatter
    let money: MoneyFormatter
    /// Writes the time of day, with seconds.
    let clock: LocalTimeFormatter

    /// - Parameter offset: the offset of local time in seconds at a time.
    init(
        timeFormat: String, locale: ICULocale,
        offset: @escaping (Timestamp) -> Int = LocalTimeFormatter.systemOffset
    ) {
        time = LocalTimeFormatter(format: timeFormat, locale: locale, offset: offset)
        clock = LocalTimeFormatter(format: TimeFormat.clock(in: locale), locale: locale, offset: offset)
        money = MoneyFormatter(locale: locale)
    }

    /// The text above a price that is not new.
    func banner(of reading: Reading) -> String {
        let updated = reading.quote.map { time.text($0.timestamp) } ?? "-"
        return "Failed to update value. Displaying last updated value from \(updated)"
    }

    /// Appends the name of a symbol and a blank, except for `BTC-USD`.
    func appendName(of symbol: Symbol, to text: inout ByteBuffer) {
        if symbol != .bitcoin { text.append("\(symbol.text) ") }
    }
}
