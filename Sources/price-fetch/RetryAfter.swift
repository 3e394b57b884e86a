import Foundation
import PipeCommon

/// How long a source is left alone that has refused: pure.
enum RetryAfter {
    /// After a denial, and where a source that limits us does not say for how long.
    static let usual = Duration.seconds(60)
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(60 * 60)

    /// - Parameter header: the field `Retry-After` (RFC 9110): seconds, or a date.
    static func duration(_ header: String?, now: Timestamp) -> Duration {
        guard let header, let wanted = seconds(header) ?? until(header, now: now) else { return usual }
        return min(max(wanted, shortest), longest)
    }

    private static func seconds(_ text: String) -> Duration? {
        guard !text.isEmpty, text.utf8.allSatisfy(UInt8.isDigit) else { return nil }
        return .seconds(Int(text) ?? .max / 2)
    }

    private static func until(_ text: String, now: Timestamp) -> Duration? {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.date(from: text).map {
            .milliseconds(Int($0.timeIntervalSince1970) * 1000 - now.milliseconds)
        }
    }
}
