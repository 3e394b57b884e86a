#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A wall-clock time to the millisecond: RFC 3339, UTC, exactly 3 decimals, `2026-11-21T14:03:07.000Z`, in the years
/// 0000 to 9999.
public struct Timestamp: TextForm, Hashable, Comparable, Sendable {
    /// What can be written.
    fileprivate static let first = -62_167_219_200_000
    fileprivate static let last = 253_402_300_799_999

    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int

    public init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// - Returns: nil for anything but the exact form of a time that exists.
    public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        guard text.count == 24, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            text[10] == UInt8(ascii: "T"), text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"),
            text[19] == UInt8(ascii: "."), text[23] == UInt8(ascii: "Z"),
            let year = Self.number(text[0..<4]), let month = Self.number(text[5..<7]),
            let day = Self.number(text[8..<10]), let hour = Self.number(text[11..<13]),
            let minute = Self.number(text[14..<16]), let second = Self.number(text[17..<19]),
            let thousandth = Self.number(text[20..<23]),
            let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second < 60
        else { return nil }
        milliseconds = (((date.days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + thousandth
    }

    private static func number(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        var number = 0
        for digit in digits {
            guard UInt8.isDigit(digit) else { return nil }
            number = number &* 10 &+ Int(digit & 0x0F)
        }
        return number
    }

    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
    }

    public var text: String {
        var text = TextBuffer()
        text.append(self)
        return text.text
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds + duration.milliseconds)
    }
}

extension TextBuffer {
    mutating func append(_ time: Timestamp) {
        let milliseconds = min(max(time.milliseconds, Timestamp.first), Timestamp.last)
        let (days, rest) = milliseconds.dividedDown(by: 86_400_000)
        let date = CivilDate(days: days)
        let (seconds, thousandths) = rest.quotientAndRemainder(dividingBy: 1000)
        append("0000-00-00T00:00:00.000Z" as StaticString)
        fill(0) { end in
            let start = end - 24
            start.put(date.year / 100, at: 0)
            start.put(date.year % 100, at: 2)
            start.put(date.month, at: 5)
            start.put(date.day, at: 8)
            start.put(seconds / 3600, at: 11)
            start.put(seconds / 60 % 60, at: 14)
            start.put(seconds % 60, at: 17)
            start.put(thousandths / 10, at: 20)
            start[22] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: thousandths % 10)
        }
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// A number of two digits.
    fileprivate func put(_ number: Int, at place: Int) {
        let number = UInt32(truncatingIfNeeded: number)
        self[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10)
        self[place + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10)
    }
}
