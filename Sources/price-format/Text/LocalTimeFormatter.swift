import Foundation
import PipeCommon

/// A time in the words of a locale and in the local time zone, as the C library knows it: it understands
/// every form of `TZ`. The words of the last minute, or second, are kept: the next time often has the same.
final class LocalTimeFormatter {
    private let formatter: DateFormatter
    /// How many milliseconds share their words.
    private let grain: Int
    private var words = ""
    private var wordsOf: (grains: Int, offset: Int)?

    /// - Parameter format: a Unicode date pattern, `MMM d, HH:mm`.
    init(format: String, locale: Locale) {
        formatter = DateFormatter()
        formatter.locale = locale
        formatter.dateFormat = format
        grain = format.contains { "SA".contains($0) } ? 1 : format.contains("s") ? 1000 : 60_000
    }

    func text(_ timestamp: Timestamp) -> String {
        let (milliseconds, offset) = (timestamp.milliseconds, Self.offset(at: timestamp))
        let grains = (milliseconds + offset * 1000) / grain
        if let wordsOf, wordsOf == (grains, offset) { return words }
        if wordsOf?.offset != offset { formatter.timeZone = TimeZone(secondsFromGMT: offset) ?? .gmt }
        // Foundation knows no zone more than 18 hours away: there the time is shifted instead.
        let shift = offset - formatter.timeZone.secondsFromGMT()
        words = formatter.string(
            from: Date(timeIntervalSince1970: Double(milliseconds) / 1000 + Double(shift)))
        wordsOf = (grains, offset)
        return words
    }

    /// Seconds east of Greenwich.
    private static func offset(at timestamp: Timestamp) -> Int {
        var seconds = time_t(timestamp.milliseconds / 1000)
        var local = tm()
        localtime_r(&seconds, &local)
        return local.tm_gmtoff
    }
}
