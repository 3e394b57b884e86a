#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A wall-clock time to the millisecond: RFC 3339, UTC, exactly 3 decimals, `2026-11-21T14:03:07.000Z`.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int

    public init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// - Returns: nil for anything but the exact form of a time that exists.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 24 else { return nil }
        func number(_ range: Range<Int>) -> Int {
            bytes[range].reduce(0) { $0 * 10 + Int($1 & 0x0F) }
        }
        var fields = tm()
        fields.tm_year = Int32(number(0..<4) - 1900)
        fields.tm_mon = Int32(number(5..<7) - 1)
        fields.tm_mday = Int32(number(8..<10))
        fields.tm_hour = Int32(number(11..<13))
        fields.tm_min = Int32(number(14..<16))
        fields.tm_sec = Int32(number(17..<19))
        self.init(milliseconds: timegm(&fields) * 1000 + number(20..<23))
        guard self.text == text else { return nil }
    }

    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
    }

    public var text: String {
        var seconds = time_t((milliseconds - (milliseconds % 1000 + 1000) % 1000) / 1000)
        var fields = tm()
        gmtime_r(&seconds, &fields)
        let date = [(fields.tm_year + 1900, 4), (fields.tm_mon + 1, 2), (fields.tm_mday, 2)].map(padded)
        let time = [(fields.tm_hour, 2), (fields.tm_min, 2), (fields.tm_sec, 2)].map(padded)
        let thousandths = padded(Int32(milliseconds - Int(seconds) * 1000), 3)
        return "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(thousandths)Z"
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds + duration.milliseconds)
    }
}

private func padded(_ number: Int32, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}
