import PipeCommon

/// The state of one symbol. This is a class because a row is large and would otherwise be copied often. Pure.
final class BoardRow {
    private static let latestCount = 50
    /// The maximum number of sessions in `otherSessions`. If it is reached when another session is to be added, all of
    /// them are discarded first.
    private static let mostSessions = 8

    let symbol: Symbol
    /// The latest reading, and whether it contains a new quote.
    private(set) var reading: Reading
    private(set) var isFresh: Bool
    /// The latest reading with a quote, and the latest reading with a new quote.
    private(set) var quoted: Reading?
    private(set) var fresh: Reading?
    /// Whether the price is made up, as in the demo.
    private(set) var isMadeUp = false
    /// When the latest quote arrived, not counting repetitions, and about how old it was then, in milliseconds.
    private(set) var quotedAt: Deadline.Instant
    private(set) var quotedAge = 0
    /// The last price change, and when it arrived. Both are kept until the price changes again, its
    /// `PriceOrigin` changes, or a price is disputed.
    private(set) var move: PriceChange?
    private(set) var movedAt: Deadline.Instant?
    /// The number of the beat that was the latest when the last new quote arrived. The quote itself may answer an
    /// earlier beat. Nil if no new quote has arrived.
    private(set) var freshBeat: Int?
    /// When the latest reading arrived.
    private(set) var arrivedAt: Deadline.Instant
    /// The price of the latest reading in units of 10⁻¹²; nil if that reading contains no quote.
    private(set) var units: Int128?
    /// The largest `shownDecimals` of any price so far. It is passed to `Price.shownUnits` to align the symbol's
    /// prices.
    private(set) var decimals = 0
    /// The session for the `PriceOrigin` of the latest new quote, and the sessions for other origins.
    private(set) var session = PriceSession()
    private var otherSessions: [PriceOrigin: PriceSession] = [:]
    /// The latest readings, the newest last. A reading and its repetitions form one element.
    private(set) var latest: [RepeatedReading] = []

    /// - Parameters:
    ///   - beat: the number of the latest beat.
    ///   - interval: the time from one beat to the next, in milliseconds; nil if it is not known.
    ///   - arrival: when the reading arrived.
    ///   - now: the time when the reading arrived, as `Board.now` returns it.
    init(_ reading: Reading, beat: Int, interval: Int?, arrival: Deadline.Instant, now: Timestamp) {
        (symbol, self.reading, isFresh) = (reading.pricedSymbol, reading, reading.isFresh)
        (arrivedAt, quotedAt) = (arrival, arrival)
        record(reading, beat: beat, interval: interval, arrival: arrival, now: now)
    }

    func record(_ reading: Reading, beat: Int, interval: Int?, arrival: Deadline.Instant, now: Timestamp) {
        (self.reading, isFresh, arrivedAt) = (reading, reading.isFresh, arrival)
        units = reading.quote?.price.units
        // A reading with neither a quote nor a failure only announces a symbol and is not an answer.
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
        // A quote that is not new does not add a price to the session.
        guard isFresh else { return }
        recordMove(to: reading, arrival)
        if !reading.isDisputed { session.record(quote, units, at: reading.at ?? now, beat: interval) }
        (fresh, freshBeat) = (reading, beat)
    }

    /// Whether `move` arrived within the last second.
    func isFlashing(at now: Deadline.Instant) -> Bool {
        now < flashEnd ?? now
    }

    /// When the color of the price stops showing `move`, at the latest; nil if `move` is nil.
    var flashEnd: Deadline.Instant? {
        movedAt.map { $0 + .seconds(1) }
    }

    private func recordMove(to reading: Reading, _ arrival: Deadline.Instant) {
        guard let fresh else { return }
        if !PriceChange.areComparable(fresh, reading) {
            (move, movedAt) = (nil, nil)
            changeSession(from: PriceOrigin(fresh), to: PriceOrigin(reading))
        } else if fresh.isDisputed || reading.isDisputed {
            (move, movedAt) = (nil, nil)
        } else if let change = PriceChange(from: fresh, to: reading) {
            (move, movedAt) = (change, arrival)
        }
    }

    private func changeSession(from old: PriceOrigin, to new: PriceOrigin) {
        if otherSessions.count >= Self.mostSessions { otherSessions = [:] }
        otherSessions[old] = session
        session = otherSessions.removeValue(forKey: new) ?? PriceSession()
    }
}

/// The words and numbers of one row of a board. Pure.
struct BoardRowText {
    let symbol: Styled
    /// The name of the coin or stock; empty if it is not known.
    let name: Styled
    let price: Styled
    /// The arrow of the last move, or the mark of a stale or disputed price; otherwise empty.
    let sign: Styled
    let move: Styled
    let today: Styled
    /// The lowest and the highest price of the day.
    let low: Styled
    let high: Styled
    /// The amount of the symbol that the user holds, its value and its gain; empty for symbols that are not in the
    /// holdings.
    let holding: Styled
    let value: Styled
    let gain: Styled
    /// Draws the prices of the last minute in at most the given number of columns.
    let minute: (Int) -> Styled
    /// Draws the prices of the last 31 days, one column per day.
    let month: () -> Styled
    let age: Styled
    /// Returns the source, or the reason why there is no new quote, in at most the given number of columns.
    let source: (Int) -> Styled
    let isStale: Bool
    /// Whether `sign` marks a stale or disputed price. On a narrow screen, such a mark is shown even if the price is
    /// left out.
    let isMarked: Bool

    init(_ row: BoardRow, of board: Board, at moment: Moment, _ wording: Wording, _ glyphs: Glyphs) {
        isStale = board.isStale(row, at: moment)
        isMarked = isStale || row.reading.isDisputed
        symbol = Styled(row.symbol.text)
        name = board.names[row.symbol].map { Styled(glyphs.shown($0.name)) } ?? .empty
        price = Styled(
            row.reading.quote.map { wording.money.text($0, keeping: row.decimals) } ?? "-",
            isMarked ? .banner : row.isFlashing(at: moment.instant) ? row.move?.meaning : nil)
        age = Styled(board.age(of: row, at: moment)?.text ?? "never", isStale ? .banner : nil)
        let (now, interval) = (board.now(moment), board.beats.interval ?? 0)
        minute = { columns in
            let prices = row.session.minute(in: columns, until: now, interval: interval)
            return Styled(glyphs.sparkline(of: prices), Self.direction(of: prices))
        }
        month = {
            let candles = board.candles[row.symbol] ?? CandlePrices()
            let chart = Chart(.month, candles, live: row.quoted?.quote, at: now)
            let closes = chart.candles.map { $0?.close }
            return Styled(glyphs.sparkline(of: closes), Self.direction(of: closes))
        }
        let origins = Self.origins(of: row.reading).map { Styled(glyphs.shown($0)) }
        source = { columns in
            origins.first { $0.columns <= columns } ?? origins.last!.shortened(to: columns, glyphs.ellipsis)
        }
        let move = isStale ? nil : row.move
        let arrow = move.map { Styled(String(glyphs.arrow($0)), $0.meaning) } ?? .empty
        sign = isMarked ? Styled(isStale ? "!" : "?", .banner) : arrow
        self.move = move.map { Styled(wording.money.text($0, keeping: row.decimals)) } ?? .empty
        today = isStale ? .empty : board.today(row, at: now).map { wording.percentage($0) } ?? .empty
        let day = isStale ? nil : board.day(row, at: now)
        let currency = row.reading.quote?.currency ?? .usDollar
        (low, high) = (
            Styled(day?.low.map { wording.money.text($0, currency, keeping: row.decimals) } ?? ""),
            Styled(day?.high.map { wording.money.text($0, currency, keeping: row.decimals) } ?? "")
        )
        let held = board.holdings[row.symbol]
        let worth = held.flatMap { held in row.reading.quote.flatMap { held.value(at: $0.price) } }
        holding = held.flatMap { $0.amount > 0 ? Styled(wording.money.amount($0.amount)) : nil } ?? .empty
        (value, gain) = Self.worth(
            worth, held?.cost.flatMap { cost in worth.map { $0 - cost } }, currency, isHeld: held != nil,
            isMarked: isMarked, wording)
    }

    /// Creates the row of a total.
    ///
    /// - Parameter hasColumn: whether the board has a column for values; if not, the value is shown in the price
    ///   column.
    init(_ total: HoldingsTotal, hasColumn: Bool, _ wording: Wording) {
        (isStale, isMarked) = (total.isStale, total.isStale)
        symbol = Styled("TOTAL \(total.currency.code)", .price)
        sign = isMarked ? Styled("!", .banner) : .empty
        let (value, gain) = Self.worth(
            total.value, total.gain, total.currency, isHeld: true, isMarked: isMarked, wording)
        (price, self.value, self.gain) = (hasColumn ? .empty : value, hasColumn ? value : .empty, gain)
        today = isStale ? .empty : total.today.map { wording.percentage($0) } ?? .empty
        (name, move, age, holding) = (.empty, .empty, .empty, .empty)
        (low, high) = (.empty, .empty)
        (minute, month, source) = ({ _ in .empty }, { .empty }, { _ in .empty })
    }

    /// The direction from the first known price to the last known price, up or down; nil if the two are equal or if no
    /// price is known.
    private static func direction(of prices: [Int128?]) -> Palette.Meaning? {
        let known = prices.compactMap { $0 }
        guard let first = known.first, let last = known.last else { return nil }
        return last > first ? .up : last < first ? .down : nil
    }

    private static func worth(
        _ value: Int128?, _ gain: Int128?, _ currency: Currency, isHeld: Bool, isMarked: Bool,
        _ wording: Wording
    ) -> (Styled, Styled) {
        let amount = value.map { wording.money.text(amount: $0, currency) } ?? (isHeld ? "-" : "")
        let meaning: Palette.Meaning? = isMarked ? .banner : gain.map { $0 < 0 ? .down : .up }
        let change = gain.map { wording.money.text(amount: $0, currency, hasSign: true) } ?? ""
        return (Styled(amount, isMarked ? .banner : nil), Styled(change, meaning))
    }

    /// The source of a new quote; if there is no new quote, the reason in one or more forms, longest first, such as
    /// `no network: binance`, `no network` and `offline`.
    private static func origins(of reading: Reading) -> [String] {
        if reading.isFresh { return [reading.source ?? ""] }
        guard let failure = reading.reasons.first else { return ["no quote"] }
        return ["\(failure.kind.words): \(failure.source)", failure.kind.words, failure.kind.word]
    }
}

extension Failure.Kind {
    /// A short name for the kind of failure, used where there is little room.
    fileprivate var words: String {
        switch self {
        case .timeout: "no answer"
        case .network: "no network"
        case .invalidData: "bad answer"
        case .rateLimited: "rate limit"
        case .denied: "refused"
        case .unsupported: "unknown"
        case .expired: "nothing new"
        case .exited: "not running"
        case .disputed: "disputed"
        }
    }

    /// The shortest name for the kind of failure, a single word.
    fileprivate var word: String {
        switch self {
        case .timeout: "silent"
        case .network: "offline"
        case .invalidData: "invalid"
        case .rateLimited: "limited"
        case .expired: "expired"
        case .exited: "exited"
        case .disputed: "dispute"
        case .denied, .unsupported: words
        }
    }
}
