/// Unicode date patterns.
enum TimeFormat {
    /// Hours, minutes and seconds as a locale writes them.
    static func clock(in locale: ICULocale) -> String {
        locale.identifier == "en_US" ? "HH:mm:ss" : locale.timePattern("HHmmss")
    }

    /// The short form of a locale: day, month, hours and minutes, and the year and seconds if wanted.
    static func short(in locale: ICULocale, withYear: Bool = false, withSeconds: Bool = false) -> String {
        let seconds = withSeconds ? "ss" : ""
        // The default, without loading what ICU knows of all locales.
        if locale.identifier == "en_US" {
            return "MMM d, \(withYear ? "y, " : "")HH:mm\(withSeconds ? ":ss" : "")"
        }
        let pattern = locale.timePattern("\(withYear ? "y" : "")MMMdHHmm\(seconds)")
        // Some locales join date and time by a word: "21 nov. à 14:03".
        let parts = pattern.split(separator: "'", omittingEmptySubsequences: false)
        guard let time = parts.last, parts.count > 2, time.hasPrefix(" H") else { return pattern }
        return "\(parts.dropLast(2).joined(separator: "'").dropLast()),\(time)"
    }

    /// The date, with its year.
    static func day(in locale: ICULocale) -> String {
        locale.identifier == "en_US" ? "MMM d, y" : locale.timePattern("yMMMd")
    }
}
