import Foundation

/// Unicode date patterns.
enum TimeFormat {
    /// The short form of a locale: day, month, hours and minutes, and seconds if wanted.
    static func short(in locale: Locale, withSeconds: Bool = false) -> String {
        // The default, without loading what Foundation knows of all locales.
        if locale.identifier == "en_US" { return withSeconds ? "MMM d, HH:mm:ss" : "MMM d, HH:mm" }
        let members = withSeconds ? "MMMdHHmmss" : "MMMdHHmm"
        let pattern = DateFormatter.dateFormat(fromTemplate: members, options: 0, locale: locale) ?? "HH:mm"
        // Some locales join date and time by a word: "21 nov. à 14:03".
        return pattern.replacingOccurrences(of: " '[^']+' (?=H)", with: ", ", options: .regularExpression)
    }
}
