import PipeCommon

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
