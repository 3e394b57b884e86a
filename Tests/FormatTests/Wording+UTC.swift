import PipeCommon
import TestSupport

@testable import price_format

extension Wording {
    /// A wording whose times are in UTC, so that texts do not depend on the machine's time zone.
    static func inUTC(timeFormat: String = "MMM d, HH:mm", locale: String = "en_US") -> Wording {
        Wording(
            timeFormat: timeFormat, withYear: timeFormat.replacing("MMM d,", with: "MMM d, y,"),
            locale: ICULocale(identifier: locale),
            offset: { _ in 0 }, now: { anyTime() })
    }
}
