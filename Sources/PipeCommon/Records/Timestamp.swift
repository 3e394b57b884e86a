/// A wall-clock time to the millisecond: RFC 3339, UTC, exactly 3 decimals, `2026-11-21T14:03:07.000Z`, in the years
/// 0000 to 9999.
public struct Timestamp: ByteParsable, Hashable, Comparable, Sendable {
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
        guard text.count == 24, let start = text.baseAddress,
            let date = Digits(start, in: "0000-00-", signs: 0xFF00_00FF_0000_0000),
            let time = Digits(start + 8, in: "00T00:00", signs: 0x0000_FF00_00FF_0000),
            let rest = Digits(start + 16, in: ":00.000Z", signs: 0xFF00_0000_FF00_00FF),
            let day = CivilDate(
                year: date.pair(0) &* 100 &+ date.pair(2), month: date.pair(5), day: time.pair(0))
        else { return nil }
        let (hour, minute, second) = (time.pair(3), time.pair(6), rest.pair(1))
        guard hour < 24, minute < 60, second < 60 else { return nil }
        let seconds = ((day.days &* 24 &+ hour) &* 60 &+ minute) &* 60 &+ second
        milliseconds = seconds &* 1000 &+ rest.pair(4) &* 10 &+ rest.digit(6)
    }

    /// The digits in eight bytes, all checked at once.
    private struct Digits {
        private let values: UInt64

        /// - Parameters:
        ///   - form: has a zero for each digit.
        ///   - signs: where it has something else, which must be there as it is.
        init?(_ text: UnsafePointer<UInt8>, in form: StaticString, signs: UInt64) {
            values = Self.word(text) ^ Self.word(form.utf8Start)
            let over9 = (values | (values &+ 0x0606_0606_0606_0606)) & 0xF0F0_F0F0_F0F0_F0F0
            guard over9 | values & signs == 0 else { return nil }
        }

        private static func word(_ bytes: UnsafePointer<UInt8>) -> UInt64 {
            UInt64(littleEndian: UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self))
        }

        func digit(_ place: Int) -> Int { Int(truncatingIfNeeded: values &>> (8 &* UInt64(place)) & 0x0F) }

        func pair(_ place: Int) -> Int { digit(place) &* 10 &+ digit(place + 1) }
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
        let milliseconds = min(max(time.milliseconds, Timestamp.first), Timestamp.last)
        let (days, rest) = milliseconds.dividedDown(by: 86_400_000)
        let date = CivilDate(days: days)
        let (seconds, thousandths) = UInt32(truncatingIfNeeded: rest).quotientAndRemainder(dividingBy: 1000)
        let year = UInt32(truncatingIfNeeded: date.year)
        let form: StaticString = "0000-00-00T00:00:00.000Z"
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
    /// A number of two digits.
    fileprivate func put(_ number: UInt32, at place: Int) {
        self[place] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / 10)
        self[place + 1] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number % 10)
    }
}
