import PipeCommon

/// Lays out the price of one symbol, as large as possible. If the latest reading contains a new quote, the lines below
/// the price show its last change and today's change if they are known, the time of its update and, if there are
/// failures worth showing, its source; before that, they report a dispute about the price. If there is no new quote,
/// they say that the price is stale or missing, and how old a stale price is. Text that does not fit is replaced by a
/// shorter form or left out. The mark of a stale or disputed price is left out last. Pure.
struct SymbolView {
    /// A fresh price that is at least this many seconds old is shown with its age if there is room. A fresh price
    /// becomes this old if, for example, the interval is long or readings stop arriving.
    private static let oldAge = 2

    let wording: Wording
    let glyphs: Glyphs
    let board: Board
    let row: BoardRow
    let moment: Moment
    let columns: Int

    private var now: Timestamp { board.now(moment) }
    private var reading: Reading { row.reading }
    private var price: String { reading.quote.map { wording.money.text($0, keeping: row.decimals) } ?? "-" }
    private var meaning: Palette.Meaning {
        row.isFlashing(at: moment.instant) ? row.move?.meaning ?? .price : .price
    }
    private var age: Age? { reading.quote.flatMap { _ in board.age(of: row, at: moment) } }
    private var isOld: Bool { age.map { $0.seconds >= Self.oldAge } ?? false }

    /// The lines of the view, at most `rows`.
    func lines(_ rows: Int) -> [Styled] {
        guard rows > 1 else { return [line] }
        let below = reading.isFresh ? disputed(rows - 1) : staleness(rows - 1)
        // Whether there is room for a heading, for empty lines, and for large digits of the smallest size.
        let isRoomy = rows >= below.count + 8
        let room = rows - below.count - (isRoomy ? 3 : 1)
        let heading = Styled(reading.pricedSymbol.text)
        if reading.quote == nil, isRoomy { return [heading, .empty] + below }
        let large = reading.quote.flatMap { _ in
            BigText.lines(price, columns: columns, rows: room, block: glyphs.block)?
                .map { Styled($0, meaning) }
        }
        if isRoomy {
            let price = Styled(columns < price.columns ? glyphs.ellipsis : price, meaning)
            return [heading, .empty] + (large ?? [price]) + [.empty] + below
        }
        return (large.map { [heading] + $0 } ?? [namedPrice.first(within: columns)]) + below
    }

    /// The whole view in one line.
    private var line: Styled {
        let prices = namedPrice
        guard reading.isFresh else {
            let marks = stalenessMarks.dropLast()
            let full = marks.map { prices[0] + "  " + $0 }
            // In this line, a stale price is never shown without its age.
            let short = prices.dropFirst().flatMap { price in marks.suffix(1).map { price + " " + $0 } }
            return (full + short + stalenessMarks.suffix(2)).first(within: columns)
        }
        if reading.isDisputed {
            let marked = prices.flatMap { price in disputeMarks.map { price + " " + $0 } }
            return dated(marked + disputeMarks.suffix(1)).first(within: columns)
        }
        let full = [changes + today, changes].map { ([prices[0]] + $0 + updated.prefix(1)).joined(by: "  ") }
        let most = (isOld ? updated.suffix(1) : changes[...]).map { prices[0] + "  " + $0 }
        // In this line, an old price is never shown without its age.
        guard isOld, let ago = updated.last else { return (full + most + prices).first(within: columns) }
        return (full + most + prices.dropFirst().map { $0 + " " + ago } + [ago]).first(within: columns)
    }

    /// The texts that may show the symbol and its price, the most complete first. The last two texts show an ellipsis
    /// instead of the price.
    private var namedPrice: [Styled] {
        let (name, ellipsis) = (Styled(reading.pricedSymbol.text + " "), Styled(glyphs.ellipsis))
        let alone = reading.quote.map { _ in [Styled(price, meaning)] } ?? []
        return [name + Styled(price, meaning)] + alone + [name + ellipsis, ellipsis]
    }

    /// The last change, today's change and the time of the update, as far as they are known. If they do not fit in one
    /// line and there are at least two rows, they take two lines.
    private func status(_ rows: Int) -> [Styled] {
        let updated = updated.first(within: columns)
        let moves = changes + today
        guard !moves.isEmpty else { return [updated] }
        let all = moves.joined(by: "  ")
        let lines = [all, changes.first ?? all].map { $0 + "  " + updated }
        if rows == 1 || lines[0].columns <= columns { return [(lines + [updated]).first(within: columns)] }
        return [updated, ([all] + changes).first(within: columns)]
    }

    /// The status of a fresh price. If the price is disputed, the words for the dispute or a mark come first, and the
    /// change and the time of the update are shown only if there are rows left.
    private func disputed(_ rows: Int) -> [Styled] {
        guard reading.isDisputed, let words = wording.dispute(of: reading) else { return status(rows) }
        let report = banner("? \(words)", rows)
        let marks = report ?? [disputeMarks.first(within: columns)]
        if marks.count < rows { return marks + status(rows - marks.count) }
        if isOld, let age, let whole = banner("? \(words) (\(age.text) ago)", rows) { return whole }
        return report ?? [dated(disputeMarks).first(within: columns)]
    }

    /// The given forms. If the price is old, its age is added to each form, and the shortest mark alone follows as the
    /// last form.
    private func dated(_ forms: [Styled]) -> [Styled] {
        guard isOld, let ago = updated.last else { return forms }
        return forms.map { $0 + " " + ago } + disputeMarks.suffix(1)
    }

    private var disputeMarks: [Styled] { [Styled("? disputed", .banner), Styled("?", .banner)] }

    /// The words in as many lines as they need; nil if these lines do not fit.
    private func banner(_ words: String, _ rows: Int) -> [Styled]? {
        let lines = words.split(separator: " ").map(String.init).wrapped(to: columns)
        let areWhole = lines.count <= rows && lines.allSatisfy { $0.columns <= columns }
        return areWhole ? lines.map { Styled($0, .banner) } : nil
    }

    /// The change since the close of the previous day; empty if it is not known.
    private var today: [Styled] {
        board.today(row, at: now).map { [wording.percentage($0, " today")] } ?? []
    }

    private var changes: [Styled] {
        // The arrow and the sign show the direction even without colors.
        guard let move = row.move else { return [] }
        let text = wording.money.text(move, keeping: row.decimals)
        return [Styled("\(glyphs.arrow(move)) \(text)", move.meaning)]
    }

    /// The forms of the line with the time of the update and, if there are failures worth showing, the source of the
    /// price; the longest form first.
    private var updated: [Styled] {
        guard let quote = reading.quote, let age else { return [] }
        let time = wording.text(quote.timestamp, at: now) + (isOld ? " (\(age.text) ago)" : "")
        let source = reading.reasons.isEmpty ? "" : " \(glyphs.dash) \(wording.shown(reading.source ?? ""))"
        return [time + source, time, isOld ? "\(age.text) ago" : glyphs.ellipsis].map { Styled($0) }
    }

    /// The lines below a stale or missing price: the banner and, for a stale price, its age if there is room for them;
    /// otherwise a single short line. The banner for a missing price may end with a hint, which is left out if it does
    /// not fit.
    private func staleness(_ rows: Int) -> [Styled] {
        let (words, ago) = (wording.banner(of: reading, at: now), age.map { "(\($0.text) ago)" })
        let line = [words, ago].compactMap(\.self).joined(separator: " ")
        // If the words fit on one line but the age does not fit after them, the age goes on the second line, if there
        // is one.
        if let ago, words.columns <= columns, line.columns > columns, let lines = banner(words, rows - 1) {
            return lines + [Styled(ago, .banner)]
        }
        let texts = [line] + (reading.quote == nil ? [wording.noPrice(in: [reading])] : [])
        return texts.lazy.compactMap { banner($0, rows) }.first ?? [stalenessMarks.first(within: columns)]
    }

    /// The forms of the line that marks the price as stale or missing, longest first.
    private var stalenessMarks: [Styled] {
        var texts = ["! no price", "!"]
        if let quote = reading.quote, let age {
            let time = wording.text(quote.timestamp, at: now)
            texts = ["stale: \(time) (\(age.text) ago)", "! \(age.text) ago", "! \(age.text)", "!"]
        }
        return texts.map { Styled($0, .banner) }
    }
}
