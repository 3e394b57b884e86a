import Foundation
import PipeCommon

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A time in the words of a locale and in the local time zone, as the C library knows it: it understands
/// every form of `TZ`.
struct LocalTime {
    private let formatter: DateFormatter

    /// - Parameter format: a Unicode date pattern, `MMM d, HH:mm`.
    init(format: String, locale: Locale) {
        formatter = DateFormatter()
        formatter.locale = locale
        formatter.dateFormat = format
    }

    func text(_ timestamp: Timestamp) -> String {
        var seconds = time_t(timestamp.milliseconds / 1000)
        var local = tm()
        localtime_r(&seconds, &local)
        let zone = TimeZone(secondsFromGMT: local.tm_gmtoff)
        // Foundation knows no zone more than 18 hours away: there the time is shifted instead.
        let shift = zone == nil ? Double(local.tm_gmtoff) : 0
        formatter.timeZone = zone ?? .gmt
        return formatter.string(
            from: Date(timeIntervalSince1970: Double(timestamp.milliseconds) / 1000 + shift))
    }
}
