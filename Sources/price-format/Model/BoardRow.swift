import PipeCommon

/// What is known of one symbol. Pure.
struct BoardRow {
    /// A minute in eighths, one per character of its sparkline.
    private static let minute = PriceHistory(step: 7500, limit: 8, .latest)
    private static let wholeSession = PriceHistory(step: 1000, limit: 240, .all)
    private static let latestCount = 50

    /// The latest one.
    private(set) var reading: Reading
    /// The latest one with a quote.
    private(set) var quoted: Reading?
    /// The change that the last new quote brought; nil when it brought none.
    private(set) var change: PriceChange?
    /// The last change, and when it was seen. It stays until the next one, or until the source changes.
    private(set) var move: PriceChange?
    private(set) var movedAt: Timestamp?
    /// The beat of the latest reading, and that of the latest new quote.
    private(set) var beat: Int
    private(set) var freshBeat: Int?
    /// When the latest reading arrived, by the wall clock.
    private(set) var arrivedAt: Timestamp
    /// The price of the latest reading in units of 10⁻¹².
    private(set) var units: Int128?
    private(set) var minute = Self.minute
    private(set) var session = Self.wholeSession
    /// The highest and the lowest price of the session.
    private(set) var high: Quote?
    private(set) var low: Quote?
    private var highest: Int128 = 0
    private var lowest = Int128.max
    /// The latest readings, the newest last.
    private(set) var latest: [Reading] = []

    var symbol: Symbol { reading.pricedSymbol }

    /// - Parameters:
    ///   - wall: when the reading arrived.
    ///   - now: the time by which ages count.
    init(_ reading: Reading, beat: Int, wall: Timestamp, now: Timestamp) {
        (self.reading, self.beat, arrivedAt) = (reading, beat, wall)
        record(reading, beat: beat, wall: wall, now: now)
    }

    mutating func record(_ reading: Reading, beat: Int, wall: Timestamp, now: Timestamp) {
        (self.reading, self.beat, arrivedAt) = (reading, beat, wall)
        units = reading.quote?.price.exactUnits
        latest.append(reading)
        if latest.count > 2 * Self.latestCount { latest.removeFirst(Self.latestCount) }
        if reading.isFresh { recordMove(to: reading, wall) }
        if let quote = reading.quote { recordQuote(quote, now) }
        if reading.isFresh { freshBeat = beat }
        if reading.quote != nil { quoted = reading }
    }

    /// Whether the price has just moved.
    func isFlashing(at wall: Timestamp) -> Bool {
        flashEnd.map { wall < $0 && $0 + .seconds(-2) < wall } ?? false
    }

    /// When a price that has moved is shown like the others again, by the wall clock.
    var flashEnd: Timestamp? {
        movedAt.map { $0 + .seconds(1) }
    }

    private mutating func recordMove(to reading: Reading, _ wall: Timestamp) {
        change = quoted.flatMap { PriceChange(from: $0, to: reading) }
        if let change {
            (move, movedAt) = (change, wall)
        } else if let quoted, !PriceChange.areComparable(quoted, reading) {
            (move, movedAt) = (nil, nil)
        }
    }

    private mutating func recordQuote(_ quote: Quote, _ now: Timestamp) {
        if quoted?.quote?.currency != quote.currency {
            (minute, session, high, low) = (Self.minute, Self.wholeSession, nil, nil)
            (highest, lowest) = (0, .max)
        }
        // A stored quote is not a price of this session.
        guard let units, reading.isFresh else { return }
        minute.record(units, at: now.milliseconds)
        session.record(units, at: now.milliseconds)
        if units > highest { (high, highest) = (quote, units) }
        if units < lowest { (low, lowest) = (quote, units) }
    }
}
