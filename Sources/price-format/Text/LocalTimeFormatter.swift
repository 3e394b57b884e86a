import PipeCommon

/// Formats times for a locale, by default in the local time zone. This zone comes from the C library, which interprets
/// `TZ`. The last text is kept, because consecutive times are often in the same minute or second.
final class LocalTimeFormatter {
    private let format: String
    private let locale: ICULocale
    private let offset: (Timestamp) -> Int
    /// The length of a step in milliseconds. All times in a step that have the same offset have the same text.
    private let precision: Int
    /// The last text, the number of the step that contains its local time, and the offset of that time from UTC in
    /// seconds. Steps are counted from 1970.
    private var last: (step: Int, offset: Int, text: String)?
    /// The minute to which `lastOffset` applies. Since 1973, no zone of the tz database has changed its offset in the
    /// middle of a minute. (The variants that count leap seconds are an exception.)
    private var lastMinute: Int?
    private var lastOffset = 0
    /// The formatter for the offset in `last`.
    private var formatter: PatternFormatter?

    /// - Parameters:
    ///   - format: a Unicode date pattern, e.g. `MMM d, HH:mm`.
    ///   - offset: returns the offset of local time from UTC at a given moment, in seconds, positive east of Greenwich.
    init(
        format: String, locale: ICULocale,
        offset: @escaping (Timestamp) -> Int = LocalTimeFormatter.systemOffset
    ) {
        (self.format, self.locale, self.offset) = (format, locale, offset)
        precision = format.contains { "SA".contains($0) } ? 1 : format.contains("s") ? 1000 : 60_000
    }

    func text(_ timestamp: Timestamp) -> String {
        let (milliseconds, offset) = (timestamp.milliseconds, offsetInMinute(of: timestamp))
        let step = (milliseconds + offset * 1000).steps(of: precision)
        if let last, last.step == step, last.offset == offset { return last.text }
        if last?.offset != offset { formatter = PatternFormatter(format, locale, offset: offset) }
        let text = formatter?.text(milliseconds) ?? ""
        last = (step, offset, text)
        return text
    }

    private func offsetInMinute(of timestamp: Timestamp) -> Int {
        let minute = timestamp.milliseconds.steps(of: 60_000)
        if minute != lastMinute { (lastMinute, lastOffset) = (minute, offset(timestamp)) }
        return lastOffset
    }

    /// The offset of the local time zone from UTC in seconds, positive east of Greenwich.
    static func systemOffset(at timestamp: Timestamp) -> Int {
        timeZoneOffset(at: timestamp.milliseconds.steps(of: 1000))
    }
}

extension Int {
    /// The number divided by the size of a step, rounded down even if the number is negative.
    fileprivate func steps(of size: Int) -> Int {
        let (steps, rest) = quotientAndRemainder(dividingBy: size)
        return rest < 0 ? steps - 1 : steps
    }
}

/// Unicode date patterns.
enum TimeFormat {
    /// The locale's pattern for the given fields.
    ///
    /// - Parameter english: the pattern of the default locale, en_US. It is a parameter so that ICU need not look up
    ///   this pattern.
    static func pattern(_ fields: String, english: String, in locale: ICULocale) -> String {
        locale.identifier == "en_US" ? english : locale.timePattern(fields)
    }

    /// The locale's pattern for hours, minutes and seconds.
    static func clock(in locale: ICULocale) -> String {
        pattern("HHmmss", english: "HH:mm:ss", in: locale)
    }

    /// The locale's short pattern, with the day, the month, hours and minutes. The year and the seconds are added on
    /// request.
    static func short(in locale: ICULocale, withYear: Bool = false, withSeconds: Bool = false) -> String {
        let seconds = withSeconds ? "ss" : ""
        let english = "MMM d, \(withYear ? "y, " : "")HH:mm\(withSeconds ? ":ss" : "")"
        let pattern = pattern("\(withYear ? "y" : "")MMMdHHmm\(seconds)", english: english, in: locale)
        // Some locales join date and time with a word: "21 nov. à 14:03". A comma replaces this word.
        let parts = pattern.split(separator: "'", omittingEmptySubsequences: false)
        guard let time = parts.last, parts.count >= 3, time.hasPrefix(" H") else { return pattern }
        let date = parts.dropLast(2).joined(separator: "'")
        // A blank precedes the word. Without a blank, the quoted text is an ending: "21ê mjdê 14:03".
        guard date.hasSuffix(" ") else { return pattern }
        return "\(date.dropLast())\(date.hasSuffix(", ") ? "" : ",")\(time)"
    }

    /// The locale's pattern for a date with its year.
    static func day(in locale: ICULocale) -> String {
        pattern("yMMMd", english: "MMM d, y", in: locale)
    }
}
