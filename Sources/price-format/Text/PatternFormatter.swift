import CICU

/// Writes times by a Unicode date pattern, at a fixed offset from Greenwich.
final class PatternFormatter {
    private let formatter: OpaquePointer?
    private let shift: Int

    /// - Parameter offset: in seconds, positive to the east.
    init(_ pattern: String, _ locale: ICULocale, offset: Int) {
        // ICU knows offsets of less than a day. Beyond them the time is shifted instead.
        let zoned = abs(offset) < 86_400 ? offset : 0
        shift = offset - zoned
        func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let (hours, minutes, seconds) = (abs(zoned) / 3600, abs(zoned) / 60 % 60, abs(zoned) % 60)
        let name = "GMT\(zoned < 0 ? "-" : "+")\(digits(hours)):\(digits(minutes)):\(digits(seconds))"
        let (zone, units) = (Array(name.utf16), Array(pattern.utf16))
        var error: UErrorCode = 0
        formatter = udat_open(
            UDAT_PATTERN, UDAT_PATTERN, locale.identifier, zone, Int32(zone.count), units, Int32(units.count),
            &error)
    }

    deinit {
        udat_close(formatter)
    }

    /// - Parameter time: milliseconds since 1970-01-01T00:00:00Z.
    func text(_ time: Int) -> String {
        icuText { udat_format(formatter, Double(time + shift * 1000), $0, $1, nil, $2) }
    }
}
