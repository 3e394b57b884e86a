import Foundation
import PipeCommon

struct FormatOptions: FilterOptions {
    static let manual = Manual(
        program: "price-format",
        sentence: "shows each reading as a line for people",
        synopsis: [
            "[--style plain|bar|screen] [--color auto|always|never] [--time-format FORMAT]"
                + " [--locale LOCALE]"
        ],
        options: [
            .init(
                "--style", value: "plain|bar|screen",
                help:
                    "a line for each reading, two when it failed (default); always one; or the whole terminal"
            ),
            .init(
                "--color", value: "auto|always|never", help: "colours (default: auto, on a terminal only)"),
            .init("--time-format", value: "FORMAT", help: "a Unicode date pattern (default: MMM d, HH:mm)"),
            .init(
                "--locale", value: "LOCALE",
                help: "the language and region of time and price (default: en_US)"),
        ],
        notes: """
            Reads readings and writes, in the local time zone (TZ):

              Nov 21, 14:03 - $68,901.23

            The screen is drawn on a terminal; where there is none, it is plain. NO_COLOR: no colours.
            """)

    enum Style: String {
        case plain, bar, screen
    }

    let style: Style
    let color: ColorChoice
    let timeFormat: String
    let locale: Locale

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.refuseOperands()
        style = try arguments.value("--style", "plain, bar or screen", Style.init) ?? .plain
        color = try arguments.value("--color", "auto, always or never", ColorChoice.init) ?? .auto
        timeFormat =
            try arguments.value("--time-format", "a date pattern") { $0.isEmpty ? nil : $0 } ?? "MMM d, HH:mm"
        locale =
            try arguments.value("--locale", "a locale known here, such as en_US", Self.knownLocale)
            ?? Locale(identifier: "en_US")
    }

    private static func knownLocale(_ name: String) -> Locale? {
        // As in LANG: `de_DE.UTF-8`.
        let identifier = name.prefix { $0 != "." && $0 != "@" }.replacingOccurrences(of: "-", with: "_")
        let locale = Locale(identifier: identifier)
        let isKnown = Locale.availableIdentifiers.contains(identifier)
        let language = locale.language.languageCode?.identifier
        let region = locale.region.map(Locale.Region.isoRegions.contains) ?? false
        return isKnown || region && Locale.availableIdentifiers.contains(language ?? "") ? locale : nil
    }
}
