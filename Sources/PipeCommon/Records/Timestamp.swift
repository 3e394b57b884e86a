/// A wall-clock time to the millisecond: RFC 3339, UTC, exactly 3 decimals, `2026-11-21T14:03:07.000Z`, in the years
/// 0000 to 9999.
public struct Timestamp: ByteParsable, Hashable, Comparable, Sendable {
    fileprivate static let form: StaticString = "0000-00-00T00:00:00.000Z"
    /// The times that have this form.
    fileprivate static let range = -62_167_219_200_000...253_402_300_799_999

    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int

    public init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// - Returns: nil for anything but the exact form of a time that exists.
    public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        guard Self.hasForm(text) else { return nil }
        func number(_ place: Int, _ digits: Int) -> Int {
            text[place..<place + digits].reduce(0) { $0 &* 10 &+ Int($1 & 0x0F) }
        }
        let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2))
        guard hour < 24, minute < 60, second < 60,
            let day = CivilDate(year: number(0, 4), month: number(5, 2), day: number(8, 2))
        else { return nil }
        milliseconds = (((day.days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + number(20, 3)
    }

    /// Whether a text has a digit where the form has a zero, and is like the form elsewhere.
    private static func hasForm(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard text.count == form.utf8CodeUnitCount else { return false }
        // Eight bytes at a time. If a byte differs from the form by more than it may (9 for a digit, otherwise 0), one
        // of its high bits is set, in the difference itself or after the addition.
        func differs(from place: Int, _ addends: UInt64) -> UInt64 {
            let byte = UnsafeRawPointer(text.baseAddress!).loadUnaligned(
                fromByteOffset: place, as: UInt64.self)
            let expected = UnsafeRawPointer(form.utf8Start).loadUnaligned(
                fromByteOffset: place, as: UInt64.self)
            let difference = UInt64(littleEndian: byte ^ expected)
            return difference | (difference &+ addends)
        }
        return
            (differs(from: 0, 0x0F06_060F_0606_0606) | differs(from: 8, 0x0606_0F06_060F_0606)
            | differs(from: 16, 0x0F06_0606_0F06_060F)) & 0xF0F0_F0F0_F0F0_F0F0 == 0
    }

    public static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
    }

    public var text: String {
        var text = ByteBuffer()
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

extension ByteBuffer {
    mutating func append(_ time: Timestamp) {
        let milliseconds = min(max(time.milliseconds, Timestamp.range.lowerBound), Timestamp.range.upperBound)
        // Rounded down, also before 1970.
        let days = (milliseconds - (milliseconds < 0 ? 86_399_999 : 0)) / 86_400_000
        let date = CivilDate(days: days)
        let ofDay = UInt32(truncatingIfNeeded: milliseconds - days * 86_400_000)
        let (seconds, thousandths) = ofDay.quotientAndRemainder(dividingBy: 1000)
        let year = UInt32(truncatingIfNeeded: date.year)
        let form = Timestamp.form
        fill(form.utf8CodeUnitCount) { start in
            start.update(from: form.utf8Start, count: form.utf8CodeUnitCount)
            start.put(year / 100, at: 0)
            start.put(year % 100, at: 2)
            start.put(UInt32(truncatingIfNeeded: date.month), at: 5)
            start.put(UInt32(truncatingIfNeeded: date.day), at: 8)
            start.put(seconds / 3600, at: 11)
            start.put(seconds / 60 % 60, at: 14)
            start.put(seconds % 60, at: 17)
            start.put(thousandths / 10, at: 20)
            start[22] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: thousandths % 10)
        }
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// Writes a number of two digits.
    fileprivate func put(_ number: UInt32, at place: Int) {
        self[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10)
        self[place + 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10)
    }
}
