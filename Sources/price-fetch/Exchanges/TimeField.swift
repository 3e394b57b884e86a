import PipeCommon

/// Where a JSON value, such as an answer or a ticker, contains a time, and in which format. Pure.
struct TimeField: Sendable {
    enum Form: String {
        /// A whole number of seconds, milliseconds, microseconds or nanoseconds since 1970, as a JSON string or number.
        case seconds, milliseconds, microseconds, nanoseconds
        /// A time in UTC with any number of decimals, such as `2026-09-24T04:33:45.647605322Z`.
        case rfc3339 = "RFC 3339 format"
    }

    let place: JSONPointer
    let form: Form

    init(_ place: JSONPointer, in form: Form) {
        (self.place, self.form) = (place, form)
    }

    /// - Throws: an error if the time is missing or is not valid in this format.
    func time(in answer: JSON) throws(InvalidInput) -> Timestamp {
        let value = try answer.value(at: place)
        let time =
            switch form {
            case .seconds:
                Self.number(value, longest: 12).map { $0 * 1000 }.map(Timestamp.init(milliseconds:))
            // Times in milliseconds have had 13 digits since 2001, so 15 digits are more than enough.
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

/// Checks whether, by our clock, the time of a price is too far in the past or in the future, and whether the server's
/// `Date` header shows that our clock is wrong. Pure.
enum PriceAge {
    /// The usual maximum age of a price.
    static let usual = Duration.seconds(60)

    /// - Throws: an error if the time is more than five seconds ahead of our clock.
    static func checkNotAhead(_ time: Timestamp, at now: Timestamp) throws(InvalidInput) {
        let ahead = Duration.milliseconds(time.milliseconds - now.milliseconds)
        if ahead <= .seconds(5) { return }
        throw InvalidInput(
            "the price is from \(time.text), \(ahead.components.seconds) s ahead of this machine's clock")
    }

    /// A description of how far our clock is off; nil if our clock agrees with the server's clock to within about a
    /// minute, or if the server does not state a valid time.
    ///
    /// - Parameter date: the server's `Date` header.
    static func clockProblem(_ date: String?, at now: Timestamp) -> String? {
        guard let time = date.flatMap(HTTPDate.time) else { return nil }
        let seconds = (now.milliseconds - time.milliseconds) / 1000
        if abs(seconds) <= 60 { return nil }
        return "this machine's clock is \(abs(seconds)) s \(now > time ? "ahead of" : "behind") the server's"
    }

    /// - Parameter time: the time from which the age of the price is computed, such as the time of the last trade or
    ///   the time when the answer left its server.
    /// - Throws: an error if the price is older than the limit.
    static func check(_ time: Timestamp, limit: Duration, at now: Timestamp) throws(InvalidInput) {
        if time + limit >= now { return }
        throw InvalidInput("the price is from \(time.text), more than \(limit.components.seconds) s ago")
    }
}
