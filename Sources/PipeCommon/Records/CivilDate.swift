/// A day of the Gregorian calendar in the years 0000 to 9999, also before that was introduced. Counted in years that
/// begin in March, so that a leap day is the last of its year.
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
        // In quarters of a day the leap days lie evenly.
        let (century, ofCentury) = (4 * UInt32(days + Self.toEpoch) + 3).quotientAndRemainder(
            dividingBy: 146_097)
        let (yearOfCentury, ofYear) = (ofCentury | 3).quotientAndRemainder(dividingBy: 1461)
        // And in fifths of a day the months, from March (3) to February (14).
        let (month, ofMonth) = (ofYear / 4 * 5 + 461).quotientAndRemainder(dividingBy: 153)
        day = Int(ofMonth / 5) + 1
        self.month = Int(month <= 12 ? month : month - 12)
        year = Int(100 * century + yearOfCentury) - Self.before + (month <= 12 ? 0 : 1)
    }

    /// Since 1970-01-01.
    var days: Int {
        let year = UInt32(year + Self.before - (month <= 2 ? 1 : 0))
        let monthFromMarch = UInt32(month + (month <= 2 ? 9 : -3))
        let leapDays = year / 4 &- year / 100 &+ year / 400
        return Int(365 &* year &+ leapDays &+ (153 &* monthFromMarch &+ 2) / 5) &+ day &- 1 &- Self.toEpoch
    }

    /// Counted from so many years before 0000-03-01: after that many the calendar repeats.
    private static let before = 400
    /// From then to 1970-01-01.
    private static let toEpoch = 719_468 + 146_097
}

extension Int {
    /// The quotient rounded down, and the rest, which is never negative.
    func dividedDown(by divisor: Int) -> (quotient: Int, rest: Int) {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}
