import PipeCommon

/// Decides whether a stored quote is fresh enough to answer a tick. A quote is fresh if it is younger than the limit,
/// or if it is the final close of its candle. There are two exceptions. A quote dated in the future is never fresh. A
/// quote that is not the final close and is dated before the end of its candle is fresh only until the candle ends.
/// Pure.
struct Freshness: Sendable {
    let limit: Duration

    func allows(_ stored: StoredQuote, at now: Timestamp) -> Bool {
        let time = stored.quote.timestamp
        guard time <= now else { return false }
        // If a quote is dated before the end of its candle, the candle's final price may be different.
        let wasOpen = stored.end.map { time < $0 && $0 <= now } ?? false
        return stored.isClosed || now < time + limit && !wasOpen
    }

    /// - Returns: the reading with the stored quote; nil if `stored` is nil or is not fresh.
    func reading(answering tick: Tick, with stored: StoredQuote?, at now: Timestamp) -> Reading? {
        guard let stored, allows(stored, at: now) else { return nil }
        var reading = Reading(answering: tick, stored.quote, from: stored.source)
        (reading.isClosed, reading.isStored, reading.isMadeUp) = (stored.isClosed, true, stored.isMadeUp)
        return reading
    }

    /// The answer to a tick for which no fresh quote is stored.
    ///
    /// - Parameter problem: the reason why the stored file cannot be used; nil if it can be used or does not exist.
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

/// Decides which of two quotes is newer, even if a clock was wrong for a while. Pure.
enum Recency {
    /// The maximum difference between the time of a current quote and the present time. A quote that is dated further
    /// in the future indicates that a clock is or was wrong.
    private static let clockSkew = Duration.seconds(60)

    /// Whether a new quote replaces a stored quote of the same symbol or candle. The final close of a candle is never
    /// replaced.
    static func isReplaced(_ stored: StoredQuote, by new: StoredQuote, at now: Timestamp) -> Bool {
        if stored.isClosed || new.isClosed { return !stored.isClosed }
        return !isNewer(stored.quote, than: new.quote, at: now)
    }

    /// Whether a stored quote is newer than a new quote, judged by their timestamps.
    ///
    /// A quote from the future does not count as newer than a current quote, because a clock is or was wrong.
    static func isNewer(_ stored: Quote, than new: Quote, at now: Timestamp) -> Bool {
        if isCurrent(stored, at: now), isFromFuture(new, at: now) { return true }
        if isCurrent(new, at: now), isFromFuture(stored, at: now) { return false }
        return stored.timestamp > new.timestamp
    }

    private static func isCurrent(_ quote: Quote, at now: Timestamp) -> Bool {
        now <= quote.timestamp + clockSkew && !isFromFuture(quote, at: now)
    }

    /// Whether a quote is dated more than a minute in the future. The age of such a quote is unknown, because a clock
    /// is or was wrong.
    static func isFromFuture(_ quote: Quote, at now: Timestamp) -> Bool {
        quote.timestamp > now + clockSkew
    }
}

/// Decides whether a stored quote is recent enough to be used. If there is a limit, a quote is too old when its age
/// reaches the limit, and a quote dated more than a minute in the future is rejected because its age is unknown. The
/// final close of a candle is always accepted if it is passed as a `StoredQuote`. Pure.
struct AgeLimit: Sendable {
    private let limit: Duration?

    /// - Parameter limit: nil to accept every quote.
    init(_ limit: Duration?) {
        self.limit = limit
    }

    func allows(_ stored: StoredQuote, at now: Timestamp) -> Bool {
        stored.isClosed || allows(stored.quote, at: now)
    }

    func allows(_ quote: Quote, at now: Timestamp) -> Bool {
        guard let limit else { return true }
        return now < quote.timestamp + limit && !Recency.isFromFuture(quote, at: now)
    }
}
