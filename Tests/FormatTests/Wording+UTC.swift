import PipeCommon
import TestSupport

@testable import price_format

extension Wording {
    /// Texts that do not depend on the time zone of the machine.
    static func inUTC(
        timeFormat: String = "MMM d, HH:mm", locale: String = "en_US"
    ) -> Wording {
        Wording(
            timeFormat: timeFormat, withYear: timeFormat.replacing("MMM d,", with: "MMM d, y,"),
            locale: ICULocale(identifier: locale),
            offset: { _ in 0 }, now: { anyTime() })
    }
}
