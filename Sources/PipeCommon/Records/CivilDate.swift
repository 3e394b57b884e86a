/// A day of the Gregorian calendar, in the years 0000 to 9999.
///
/// Years are counted from March, so that a leap day is the last day of its year. The arithmetic follows Neri
/// and Schneider, "Euclidean affine functions and their application to calendar algorithms" (2023).
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

    /// - Parameter days: since 1970-01-01.
    init(days: Int) {
        // In quarters of a day, all centuries have the same length, and so have all years of a century.
        let (century, ofCentury) = (4 * UInt32(days + Self.toEpoch) + 3).quotientAndRemainder(
            dividingBy: 146_097)
        let (yearOfCentury, ofYear) = (ofCentury | 3).quotientAndRemainder(dividingBy: 1461)
        // In fifths of a day, all months have the same length; they are numbered from March (3) to February
        // (14).
        let (month, ofMonth) = (ofYear / 4 * 5 + 461).quotientAndRemainder(dividingBy: 153)
        day = Int(ofMonth / 5) + 1
        self.month = Int(month <= 12 ? month : month - 12)
        year = Int(100 * century + yearOfCentury) - Self.before + (month <= 12 ? 0 : 1)
    }

    /// The days since 1970-01-01.
    var days: Int {
        let year = UInt32(year + Self.before - (month <= 2 ? 1 : 0))
        let monthFromMarch = UInt32(month + (month <= 2 ? 9 : -3))
        let leapDays = year / 4 &- year / 100 &+ year / 400
        return Int(365 &* year &+ leapDays &+ (153 &* monthFromMarch &+ 2) / 5) &+ day &- 1 &- Self.toEpoch
    }

    /// Days are counted from this many years before 0000-03-01, so that they are never negative; the calendar
    /// repeats after the same number of years.
    private static let before = 400
    /// The number of days from that date to 1970-01-01.
    private static let toEpoch = 719_468 + 146_097
}
