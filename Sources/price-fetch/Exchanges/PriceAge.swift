import PipeCommon

/// How old a price may be by the answer's own account. Pure.
enum PriceAge {
    private static let limit = Duration.seconds(60)

    /// - Parameters:
    ///   - time: when the price was made, if the payload says so.
    ///   - age: how long the answer has been in a cache (RFC 9111, `Age`).
    /// - Throws: when the price is older than 60 s.
    static func check(_ time: Timestamp?, age: Duration?, at now: Timestamp) throws(InvalidInput) {
        let times = [time, age.map { now + (.zero - $0) }].compactMap(\.self)
        guard let oldest = times.min(), oldest + limit < now else { return }
        throw InvalidInput("the price is of \(oldest.text), more than \(limit.components.seconds) s ago")
    }
}
