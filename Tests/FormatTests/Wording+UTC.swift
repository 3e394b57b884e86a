import Foundation

@testable import price_format

extension Wording {
    /// Texts that do not depend on the time zone of the machine.
    static func inUTC(timeFormat: String = "MMM d, HH:mm", locale: String = "en_US") -> Wording {
        Wording(timeFormat: timeFormat, locale: ICULocale(identifier: locale)) { _ in 0 }
    }
}
