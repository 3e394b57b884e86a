import PipeCommon

/// Decides whether a stored quote answers a tick without asking the network: if it is younger than the limit,
/// or the final close of the requested candle. A quote from the future is not fresh, and neither is the last
/// quote of an open candle that has since ended. Pure.
struct Freshness: Sendable {
    let limit: Duration

    func allows(_ stored: StoredQuote, at now: Timestamp) -> Bool {
        let time = stored.quote.timestamp
        guard time <= now else { return false }
        // A quote that was received after the end of its candle is dated at that end.
        let wasOpen = stored.end.map { time < $0 && $0 <= now } ?? false
        return stored.isClosed || now < time + limit && !wasOpen
    }

    /// - Returns: the reading with the stored quote; nil if the quote is not fresh.
    func reading(answering tick: Tick, with stored: StoredQuote?, at now: Timestamp) -> Reading? {
        guard let stored, allows(stored, at: now) else { return nil }
        var reading = Reading(answering: tick, stored.quote, from: stored.source)
        (reading.isClosed, reading.isStored, reading.isMadeUp) = (stored.isClosed, true, stored.isMadeUp)
        return reading
    }

    /// The answer to a tick for which nothing fresh is stored.
    ///
    /// - Parameter problem: the reason why the stored quote cannot be used.
    static func expired(_ tick: Tick, _ stored: StoredQuote?, problem: String?) -> Reading {
        let subject = tick.candle.map { "\($0.rawValue) candle" } ?? "quote"
        let message =
            if let stored {
                "the stored \(subject) is from \(stored.quote.timestamp.text)"
            } else if let problem {
                "the stored \(subject) cannot be used: \(problem)"
            } else {
                "no \(subject) is stored"
            }
        return expired(tick, message)
    }

    static func expired(_ tick: Tick, _ message: String) -> Reading {
        Reading(answering: tick, [Failure(source: "store", kind: .expired, message: message)])
    }
}
