import PipeCommon

/// Lays out one symbol: its price as large as it fits. The lines below say how the price has changed, when it was
/// updated and, if it is not the primary, by which source; or they say that it is stale, and how old it is. What does
/// not fit is left out or replaced as a whole; that a price is stale is left out last. Pure.
struct SymbolView {
    /// A fresh price shows its age from this many seconds on: no tick has arrived since then, or the interval is long.
    private static let oldAge = 2

    let wording: Wording
    let glyphs: Glyphs
    let board: Board
    let row: BoardRow
    let moment: Moment
    let columns: Int
    /// Whether this is a part of a page with details, which names the symbol, keeps the arrow of the last move, and has a
    /// sparkline of its own.
    var isDetail = false

    private var now: Timestamp { board.now(moment) }
    private var isAlone: Bool { board.rows.count == 1 && !isDetail }
    private var reading: Reading { row.reading }
    private var isNamed: Bool { !isAlone || reading.pricedSymbol != .bitcoin }
    private var price: String { reading.quote.map(wording.money.text) ?? "-" }
    private var meaning: Palette.Meaning {
        row.isFlashing(at: moment.instant) ? row.move?.meaning ?? .price : .price
    }
    private var age: Age? { reading.quote.flatMap { _ in board.age(of: row, at: moment) } }
    private var isOld: Bool { age.map { $0.seconds >= Self.oldAge } ?? false }
    private var ellipsis: StyledLine { StyledLine(glyphs.ellipsis) }

    /// At most this many lines.
    func lines(_ rows: Int) -> [StyledLine] {
        guard rows > 1 else { return [line] }
        let below = reading.isFresh ? disputed(rows - 1) : staleness(rows - 1)
        // Enough for a heading, for empty lines, and for the smallest of the large digits.
        let isRoomy = rows >= below.count + 8
        let room = rows - below.count - (isRoomy ? 3 : isNamed ? 1 : 0)
        let large = BigText.lines(price, columns: columns, rows: room, block: glyphs.block)
        let heading = StyledLine(reading.pricedSymbol.text)
        if isRoomy {
            let lines = large ?? [columns < price.columns ? glyphs.ellipsis : price]
            let top = [heading, .empty] + lines.map { StyledLine($0, meaning) } + [.empty] + below
            return top.count < rows ? top + sparkline : top
        }
        guard let large else { return [namedPrice().first(within: columns)] + below }
        return (isNamed ? [heading] : []) + large.map { StyledLine($0, meaning) } + below
    }

    /// Everything in one line.
    private var line: StyledLine {
        let prices = namedPrice()
        guard reading.isFresh else {
            let marks = stalenessMarks.dropLast()
            let full = marks.map { prices[0] + StyledLine("  ") + $0 }
            // A price that is shown has at least its age beside it.
            let short = prices.dropFirst().flatMap { price in
                marks.suffix(1).map { price + StyledLine(" ") + $0 }
            }
            return (full + short + stalenessMarks.suffix(2)).first(within: columns)
        }
        if reading.isDisputed {
            let marked = prices.flatMap { price in disputeMarks.map { price + StyledLine(" ") + $0 } }
            return (marked + disputeMarks.suffix(1)).first(within: columns)
        }
        let full = [changes + today, changes].map { changes in
            (changes + updated.prefix(1)).reduce(prices[0]) { $0 + StyledLine("  ") + $1 }
        }
        let most = (isOld ? updated.suffix(1) : changes[...]).map { prices[0] + StyledLine("  ") + $0 }
        return (full + most + prices).first(within: columns)
    }

    /// The price with its name, the longest form first.
    private func namedPrice() -> [StyledLine] {
        let shown = StyledLine(price, meaning)
        guard isNamed else { return [shown, ellipsis] }
        let name = StyledLine(reading.pricedSymbol.text + " ")
        return [name + shown, isAlone ? shown : name + ellipsis, ellipsis]
    }

    /// One line if it fits, otherwise two.
    private func status(_ rows: Int) -> [StyledLine] {
        let updated = updated.first(within: columns)
        let all = Self.joined(changes + today)
        guard all.columns > 0 else { return [updated] }
        let lines = [all, changes.first ?? all].map { $0 + StyledLine("  ") + updated }
        if let first = lines.first, first.columns <= columns || rows == 1 {
            return [(lines + [updated]).first(within: columns)]
        }
        return [updated, (([all] + changes)).first(within: columns)]
    }

    /// The status of a fresh price, after the words for a dispute, which are the last to go.
    private func disputed(_ rows: Int) -> [StyledLine] {
        guard reading.isDisputed, let words = wording.dispute(of: reading) else { return status(rows) }
        let lines = "? \(glyphs.shown(words))".split(separator: " ").map(String.init).wrapped(to: columns)
        let areWhole = lines.count <= rows && lines.allSatisfy { $0.columns <= columns }
        let marks = areWhole ? lines.map { StyledLine($0, .banner) } : [disputeMarks.first(within: columns)]
        return marks.count < rows ? marks + status(rows - marks.count) : marks
    }

    private var disputeMarks: [StyledLine] {
        ["? disputed", "?"].map { StyledLine($0, .banner) }
    }

    private static func joined(_ lines: [StyledLine]) -> StyledLine {
        lines.dropFirst().reduce(lines.first ?? .empty) { $0 + StyledLine("  ") + $1 }
    }

    /// The change against the close of the day before.
    private var today: [StyledLine] {
        board.today(row).map { hundredths in
            let meaning: Palette.Meaning? = hundredths > 0 ? .up : hundredths < 0 ? .down : nil
            return [StyledLine("\(wording.money.percentage(hundredths: hundredths)) today", meaning)]
        } ?? []
    }

    /// The session in one line, once there is something to see.
    private var sparkline: [StyledLine] {
        let prices = row.session.all.last(.max, until: now.milliseconds)
        guard !isDetail, prices.count > 1 else { return [] }
        return [StyledLine(Sparkline(glyphs: glyphs).text(Sparkline.thinned(prices, to: columns)))]
    }

    private var changes: [StyledLine] {
        // The direction is a sign as well as a color.
        guard let change = isDetail ? row.move : row.change else { return [] }
        let signs = change.isUp ? "\(glyphs.up) +" : "\(glyphs.down) -"
        return [StyledLine(signs + wording.money.text(change.difference), change.meaning)]
    }

    /// When the price was updated and by which source, the longest form first.
    private var updated: [StyledLine] {
        guard let quote = reading.quote, let age else { return [] }
        let time = wording.text(quote.timestamp, at: now) + (isOld ? " (\(age.text) ago)" : "")
        let source = reading.failures.isEmpty ? "" : " \(glyphs.dash) \(reading.source ?? "")"
        return [time + source, time, isOld ? "\(age.text) ago" : glyphs.ellipsis].map { StyledLine($0) }
    }

    /// The banner if there is room for it, otherwise one line.
    private func staleness(_ rows: Int) -> [StyledLine] {
        let ago = age.map { ["(\($0.text) ago)"] } ?? []
        let words = wording.banner(of: reading, at: now).split(separator: " ").map(String.init) + ago
        let banner = words.wrapped(to: columns)
        if banner.count <= rows, banner.allSatisfy({ $0.columns <= columns }) {
            return banner.map { StyledLine($0, .banner) }
        }
        return [stalenessMarks.first(within: columns)]
    }

    /// One line that says that the price is stale, the longest form first.
    private var stalenessMarks: [StyledLine] {
        let texts =
            if let quote = reading.quote, let age {
                [
                    "stale: \(wording.text(quote.timestamp, at: now)) (\(age.text) ago)", "! \(age.text) ago",
                    "! \(age.text)", "!",
                ]
            } else { ["! no price", "!"] }
        return texts.map { StyledLine($0, .banner) }
    }
}
