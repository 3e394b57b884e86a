/// A wall-clock time with millisecond precision, written in the form of RFC 3339, in UTC, with exactly 3 decimals:
/// `2026-11-21T14:03:07.000Z`. Only times in the years 0000 to 9999 can be written.
public struct Timestamp: TextValue, Comparable {
    private static let form = InlineText("0000-00-00T00:00:00.000Z")!
    /// The times that can be written in this form. An earlier or later time is written as the nearest time in this
    /// range.
    private static let range = -62_167_219_200_000...latest.milliseconds
    /// The last millisecond of the year 9999.
    public static let latest = Timestamp(milliseconds: 253_402_300_799_999)

    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int

    public init(milliseconds: Int) {
        self.milliseconds = milliseconds
    }

    /// - Returns: nil if the text does not have exactly this form, or if it names a leap second or a time that does not
    ///   exist.
    public init?(_ text: InlineText) {
        guard Self.hasForm(text) else { return nil }
        func number(_ place: Int, _ digits: Int) -> Int {
            (place..<place + digits).reduce(0) { $0 &* 10 &+ Int(text[$1] & 0x0F) }
        }
        let (hour, minute, second) = (number(11, 2), number(14, 2), number(17, 2))
        guard hour < 24, minute < 60, second < 60,
            let day = CivilDate(year: number(0, 4), month: number(5, 2), day: number(8, 2))
        else { return nil }
        milliseconds = (((day.days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + number(20, 3)
    }

    /// Whether `text` contains a digit wherever the form contains a zero and otherwise equals the form.
    private static func hasForm(_ text: InlineText) -> Bool {
        // Compares eight bytes at a time. Where the form has a zero, a byte may differ by at most 9; elsewhere, a byte
        // must not differ. If a byte differs by more, at least one of the four high bits of the difference is 1, either
        // before or after the addend is added.
        func differs(_ word: UInt64, _ expected: UInt64, _ addends: UInt64) -> UInt64 {
            let difference = word ^ expected
            return difference | (difference &+ addends)
        }
        let (words, form) = (text.words, form.words)
        return text.count == Self.form.count
            && (differs(words.first, form.first, 0x0F06_060F_0606_0606)
                | differs(words.second, form.second, 0x0606_0F06_060F_0606)
                | differs(words.third, form.third, 0x0F06_0606_0F06_060F)) & 0xF0F0_F0F0_F0F0_F0F0 == 0
    }

    public static func now() -> Timestamp {
        let time = reading(of: CLOCK_REALTIME)
        return Timestamp(milliseconds: time.tv_sec * 1000 + time.tv_nsec / 1_000_000)
    }

    public var utf8: InlineText {
        let milliseconds = min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound)
        // The division rounds down even for times before 1970, because no time is before the first time of the range.
        let first = Self.range.lowerBound
        let days = (milliseconds - first) / 86_400_000 + first / 86_400_000
        let date = CivilDate(days: days)
        let ofDay = UInt32(truncatingIfNeeded: milliseconds - days * 86_400_000)
        let (seconds, thousandths) = ofDay.quotientAndRemainder(dividingBy: 1000)
        let year = UInt32(truncatingIfNeeded: date.year)
        var text = Self.form
        let (month, day) = (UInt32(truncatingIfNeeded: date.month), UInt32(truncatingIfNeeded: date.day))
        text.words.first |= (year / 100).digits(at: 0) | (year % 100).digits(at: 2) | month.digits(at: 5)
        text.words.second |=
            day.digits(at: 0) | (seconds / 3600).digits(at: 3) | (seconds / 60 % 60).digits(at: 6)
        text.words.third |=
            (seconds % 60).digits(at: 1) | (thousandths / 10).digits(at: 4)
            | (thousandths % 10 * 10).digits(at: 6)
        return text
    }

    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    public static func + (time: Timestamp, duration: Duration) -> Timestamp {
        Timestamp(milliseconds: time.milliseconds + duration.milliseconds)
    }
}

extension UInt32 {
    /// The two digits of a number below 100, as bits: a bitwise OR with a word of `Timestamp.form` replaces zeros with
    /// these digits.
    ///
    /// - Parameter place: the index of the first digit's byte in the word of eight bytes.
    fileprivate func digits(at place: Int) -> UInt64 {
        UInt64(self / 10 | (self % 10) << 8) << (8 * place)
    }
}

/// A day of the Gregorian calendar, in the years 0000 to 9999.
///
/// In the calculations, years begin in March, so that a leap day is the last day of its year. The calculations follow
/// Neri and Schneider, "Euclidean affine functions and their application to calendar algorithms" (2023).
struct CivilDate: Equatable {
    let year: Int
    let month: Int
    let day: Int

    /// - Returns: nil for a day that does not exist.
    init?(year: Int, month: Int, day: Int) {
        (self.year, self.month, self.day) = (year, month, day)
        guard (1...12).contains(month), day >= 1 else { return nil }
        guard day <= 28 || CivilDate(days: days) == self else { return nil }
    }

    /// - Parameter days: the number of days since 1970-01-01.
    init(days: Int) {
        // Here, every century counts as 146,097 quarters of a day, and every year within a century as 1461 quarters.
        let (century, ofCentury) = (4 * UInt32(days + Self.toEpoch) + 3).quotientAndRemainder(
            dividingBy: 146_097)
        let (yearOfCentury, ofYear) = (ofCentury | 3).quotientAndRemainder(dividingBy: 1461)
        // Here, every month counts as 153 fifths of a day. The months are numbered from March (3) to February (14).
        let (month, ofMonth) = (ofYear / 4 * 5 + 461).quotientAndRemainder(dividingBy: 153)
        day = Int(ofMonth / 5) + 1
        self.month = Int(month <= 12 ? month : month - 12)
        year = Int(100 * century + yearOfCentury) - Self.before + (month <= 12 ? 0 : 1)
    }

    /// The number of days since 1970-01-01.
    var days: Int {
        let year = UInt32(year + Self.before - (month <= 2 ? 1 : 0))
        let monthFromMarch = UInt32(month + (month <= 2 ? 9 : -3))
        let leapDays = year / 4 &- year / 100 &+ year / 400
        return Int(365 &* year &+ leapDays &+ (153 &* monthFromMarch &+ 2) / 5) &+ day &- 1 &- Self.toEpoch
    }

    /// In the calculations, days are counted from this many years before 0000-03-01, so that no count is negative. The
    /// shift does not change the results, because the calendar repeats every 400 years.
    private static let before = 400
    /// The number of days from 400 years before 0000-03-01 to 1970-01-01.
    private static let toEpoch = 719_468 + 146_097
}
