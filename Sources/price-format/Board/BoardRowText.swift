import PipeCommon

/// The words and numbers of one row of a board. Pure.
struct BoardRowText {
    let symbol: Styled
    /// The name of what is priced; empty if none is known.
    let name: Styled
    let price: Styled
    /// An arrow, or the mark of a stale or disputed price.
    let sign: Styled
    let move: Styled
    let today: Styled
    /// Draws the last minute in this many columns.
    let minute: (Int) -> Styled
    /// Draws the last 31 days, one column per day.
    let month: () -> Styled
    let age: Styled
    let source: Styled
    let isStale: Bool
    /// Whether the sign marks a stale or disputed price. Such a sign is left out after the price.
    let isMarked: Bool

    init(_ row: BoardRow, of board: Board, at moment: Moment, _ wording: Wording, _ glyphs: Glyphs) {
        isStale = board.isStale(row, at: moment)
        let isDisputed = !isStale && row.reading.isDisputed
        isMarked = isStale || isDisputed
        symbol = Styled(row.symbol.text)
        name = board.names[row.symbol].map { Styled(glyphs.shown($0.name)) } ?? .empty
        price = Styled(
            row.reading.quote.map { wording.money.text($0, keeping: row.decimals) } ?? "-",
            isMarked ? .banner : row.isFlashing(at: moment.instant) ? row.move?.meaning : nil)
        age = Styled(board.age(of: row, at: moment)?.text ?? "never", isStale ? .banner : nil)
        let (now, interval) = (board.now(moment), board.beats.interval ?? 0)
        minute = { columns in
            Styled(glyphs.sparkline(of: row.session.minute(in: columns, until: now, interval: interval)))
        }
        month = {
            let candles = board.candles[row.symbol] ?? CandlePrices()
            let chart = Chart(.month, candles, live: row.quoted?.quote, at: now)
            return Styled(glyphs.sparkline(of: chart.prices))
        }
        source = Styled(glyphs.shown(Self.origin(of: row.reading)))
        let move = isStale ? nil : row.move
        let arrow = move.map { Styled(String(glyphs.arrow($0)), $0.meaning) } ?? .empty
        sign = isMarked ? Styled(isStale ? "!" : "?", .banner) : arrow
        self.move =
            move.map { change in
                Styled(
                    (change.isUp ? "+" : "-") + wording.money.text(change.difference, keeping: row.decimals))
            } ?? .empty
        today = isStale ? .empty : board.today(row).map { wording.percentage($0) } ?? .empty
    }

    /// The source, or the reason for a missing quote, beginning with its kind: `no network: binance`.
    private static func origin(of reading: Reading) -> String {
        if reading.isFresh { return reading.source ?? "" }
        return reading.reasons.first.map { "\($0.kind.words): \($0.source)" } ?? "no quote"
    }
}

extension Failure.Kind {
    /// A short name, since there is little room.
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
}
