import PipeCommon

/// What is known about one symbol. A class, because a row is large and read often. Pure.
final class BoardRow {
    private static let latestCount = 50
    /// The maximum number of sources and markets whose prices are remembered.
    private static let mostSessions = 8

    let symbol: Symbol
    /// The latest reading, and whether it has a new quote.
    private(set) var reading: Reading
    private(set) var isFresh = false
    /// The latest reading with a quote, and the latest one with a new quote.
    private(set) var quoted: Reading?
    private(set) var fresh: Reading?
    /// Whether nobody trades at the price.
    private(set) var isMadeUp = false
    /// When the latest quote first arrived, and how old it was then, in milliseconds.
    private(set) var quotedAt: Deadline.Instant
    private(set) var quotedAge = 0
    /// The last change, and when it was seen. It stays until the next one, or until the source changes.
    private(set) var move: PriceChange?
    private(set) var movedAt: Deadline.Instant?
    /// The beat of the latest new quote.
    private(set) var freshBeat: Int?
    /// When the latest reading arrived.
    private(set) var arrivedAt: Deadline.Instant
    /// The price of the latest reading in units of 10⁻¹².
    private(set) var units: Int128?
    /// The decimals of the most precise price so far. All prices are shown with as many, so that they are aligned.
    private(set) var decimals = 0
    /// The prices that can be compared with the latest new quote, and those of other sources and markets.
    private(set) var session = PriceSession()
    private var otherSessions: [PriceOrigin: PriceSession] = [:]
    /// The latest readings without repetitions, the newest last.
    private(set) var latest: [RepeatedReading] = []

    /// - Parameters:
    ///   - beat: its number.
    ///   - interval: the time from one beat to the next in milliseconds, if it is known.
    ///   - arrival: when the reading arrived.
    ///   - now: the time by the clock that sets the beats.
    init(_ reading: Reading, beat: Int, interval: Int?, arrival: Deadline.Instant, now: Timestamp) {
        (symbol, self.reading, arrivedAt, quotedAt) = (reading.pricedSymbol, reading, arrival, arrival)
        record(reading, beat: beat, interval: interval, arrival: arrival, now: now)
    }

    func record(_ reading: Reading, beat: Int, interval: Int?, arrival: Deadline.Instant, now: Timestamp) {
        (self.reading, isFresh, arrivedAt) = (reading, reading.isFresh, arrival)
        units = reading.quote?.price.units
        // A reading that only names a symbol is not an answer.
        let isAnswer = reading.quote != nil || !reading.failures.isEmpty
        if isAnswer, latest.isEmpty || !latest[latest.count - 1].extend(with: reading) {
            latest.append(RepeatedReading(reading))
        }
        if latest.count > 2 * Self.latestCount { latest.removeFirst(Self.latestCount) }
        guard let quote = reading.quote, let units else { return }
        if quote != quoted?.quote {
            quotedAt = arrival
            quotedAge = max(0, (reading.at ?? now).milliseconds - quote.timestamp.milliseconds)
        }
        quoted = reading
        decimals = max(decimals, quote.price.shownDecimals)
        isMadeUp = reading.isMadeUp
        // A stored quote is not a price of this session.
        guard isFresh else { return }
        recordMove(to: reading, arrival)
        session.record(quote, units, at: reading.at ?? now, beat: interval)
        (fresh, freshBeat) = (reading, beat)
    }

    /// Whether the price has moved within the last second.
    func isFlashing(at now: Deadline.Instant) -> Bool {
        flashEnd.map { now < $0 } ?? false
    }

    /// When a price that has moved loses its color again.
    var flashEnd: Deadline.Instant? {
        movedAt.map { $0 + .seconds(1) }
    }

    private func recordMove(to reading: Reading, _ arrival: Deadline.Instant) {
        guard let fresh else { return }
        if let change = PriceChange(from: fresh, to: reading) {
            (move, movedAt) = (change, arrival)
        } else if !PriceChange.areComparable(fresh, reading) {
            (move, movedAt) = (nil, nil)
            changeSession(from: PriceOrigin(fresh), to: PriceOrigin(reading))
        }
    }

    private func changeSession(from old: PriceOrigin, to new: PriceOrigin) {
        if otherSessions.count >= Self.mostSessions { otherSessions = [:] }
        otherSessions[old] = session
        session = otherSessions.removeValue(forKey: new) ?? PriceSession()
    }
}
