import PipeCommon

/// How long requests to a source are paused after a refusal. Pure.
enum RetryAfter {
    /// The pause after a denial, and after a rate limit that gives no time.
    static let usual = Duration.seconds(60)
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(60 * 60)

    /// - Parameter header: the field `Retry-After` (RFC 9110): seconds, or a date.
    static func duration(_ header: String?, now: Timestamp) -> Duration {
        named(header, now: now) ?? usual
    }

    /// The pause that the header gives, within limits; nil if it gives none.
    static func named(_ header: String?, now: Timestamp) -> Duration? {
        let wanted = header.flatMap { seconds($0) ?? until($0, now: now) }
        return wanted.map { min(max($0, shortest), longest) }
    }

    private static func seconds(_ text: String) -> Duration? {
        guard !text.isEmpty, text.utf8.allSatisfy(UInt8.isDigit) else { return nil }
        return .seconds(Int(text) ?? .max / 2)
    }

    private static func until(_ text: String, now: Timestamp) -> Duration? {
        HTTPDate.time(text).map { .milliseconds($0.milliseconds - now.milliseconds) }
    }
}

/// A time in a header (RFC 9110): `Sun, 22 Nov 2026 14:03:07 GMT`. Pure.
enum HTTPDate {
    static func time(_ text: String) -> Timestamp? {
        guard text.hasSuffix("GMT") else { return nil }
        return CurlParser.time(text).map { Timestamp(milliseconds: $0 * 1000) }
    }
}
