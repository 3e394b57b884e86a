import PipeCommon

/// Where an answer has a time, and how the exchange writes it. Pure.
struct TimeField: Sendable {
    enum Form: String {
        /// Since 1970, whole, as text or as a number.
        case seconds, milliseconds, microseconds, nanoseconds
        /// In UTC, with any number of decimals: `2026-09-24T04:33:45.647605322Z`.
        case rfc3339 = "RFC 3339"
    }

    let place: JSONPointer
    let form: Form

    init(_ place: JSONPointer, in form: Form) {
        (self.place, self.form) = (place, form)
    }

    /// - Throws: when the time is missing or has another form.
    func time(in answer: JSON) throws(InvalidInput) -> Timestamp {
        guard let value = place.value(in: answer) else {
            throw InvalidInput("the answer has no \(place.text)")
        }
        let time =
            switch form {
            case .seconds:
                Self.number(value, longest: 12).map { $0 * 1000 }.map(Timestamp.init(milliseconds:))
            // Since 2001 it has 13 digits.
            case .milliseconds: Self.number(value, longest: 15).map(Timestamp.init(milliseconds:))
            case .microseconds:
                Self.number(value, longest: 18).map { $0 / 1000 }.map(Timestamp.init(milliseconds:))
            case .nanoseconds:
                Self.number(value, longest: 19).map { $0 / 1_000_000 }.map(Timestamp.init(milliseconds:))
            case .rfc3339: value.string.flatMap(Self.utc)
            }
        guard let time else { throw InvalidInput("\(place.text) is not a time in \(form.rawValue)") }
        return time
    }

    private static func number(_ value: JSON, longest: Int) -> Int? {
        guard let digits = value.string ?? value.number, digits.utf8.count <= longest,
            digits.utf8.allSatisfy(UInt8.isDigit)
        else { return nil }
        return Int(digits)
    }

    private static func utc(_ text: String) -> Timestamp? {
        guard text.hasSuffix("Z") else { return nil }
        let parts = text.dropLast().split(separator: ".", omittingEmptySubsequences: false)
        let decimals = parts.count == 2 ? parts[1] : "0"
        guard parts.count <= 2, !decimals.isEmpty, decimals.utf8.allSatisfy(UInt8.isDigit) else { return nil }
        return Timestamp("\(parts[0]).\((decimals + "00").prefix(3))Z")
    }
}

/// How old a price may be by the answer's own account. Pure.
enum PriceAge {
    /// For how long the answer itself is believed.
    static let usual = Duration.seconds(60)

    /// - Parameter time: when the price was made, or when the answer left its server.
    /// - Throws: when that is longer ago than the limit.
    static func check(_ time: Timestamp, limit: Duration, at now: Timestamp) throws(InvalidInput) {
        if time + limit >= now { return }
        throw InvalidInput("the price is of \(time.text), more than \(limit.components.seconds) s ago")
    }
}
