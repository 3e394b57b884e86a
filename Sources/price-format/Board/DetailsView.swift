import PipeCommon

/// Lays out the details of one symbol: its price in large digits, its name and description, the session, and the latest
/// readings as far as there is room. Pure.
struct DetailsView {
    let wording: Wording
    let glyphs: Glyphs

    /// At most as many lines as the size has rows, none wider than its columns.
    func lines(_ board: Board, at moment: Moment, _ size: ScreenSize) -> [Styled] {
        guard let symbol = board.choice.selected else { return [] }
        let columns = size.columns
        guard let row = board.row(of: symbol) else {
            let words = ["no", "reading", "of", symbol.text, "yet"].wrapped(to: columns)
            return words.prefix(size.rows).map { fitting(Styled($0), columns) }
        }
        let now = board.now(moment)
        let view = SymbolView(
            wording: wording, glyphs: glyphs, board: board, row: row, moment: moment, columns: columns)
        // Enough for large digits, or else two lines.
        let share = size.rows < 9 ? min(2, size.rows) : max(10, size.rows / 2)
        var lines = view.lines(share) + about(board.names[symbol], columns) + session(of: row, now, columns)
        let room = size.rows - lines.count - 1
        if room > 0 {
            lines += [.empty] + latest(row.latest.suffix(room), row.decimals, now, columns)
        }
        return lines.prefix(size.rows).map { fitting($0, columns) }
    }

    private func about(_ entry: SymbolNames.Entry?, _ columns: Int) -> [Styled] {
        guard let entry else { return [] }
        let words = glyphs.shown(entry.description).split(separator: " ").map(String.init)
        let name = glyphs.shown(entry.name).shortened(to: columns, glyphs.ellipsis)
        return [.empty, Styled(name, .price)]
            + words.wrapped(to: columns).prefix(3).map { Styled($0) }
    }

    private func session(of row: BoardRow, _ now: Timestamp, _ columns: Int) -> [Styled] {
        guard let high = row.session.high.map({ wording.money.text($0, keeping: row.decimals) }),
            let low = row.session.low.map({ wording.money.text($0, keeping: row.decimals) })
        else {
            return []
        }
        let prices = row.session.all.last(.max, until: now.milliseconds)
        let line = [
            "session: high \(high), low \(low)", "high \(high), low \(low)", "high \(high)", glyphs.ellipsis,
        ].map { Styled($0) }.first(within: columns)
        return [.empty, line, Styled(glyphs.sparkline(of: prices, columns: columns))]
    }

    private func fitting(_ line: Styled, _ columns: Int) -> Styled {
        line.columns <= columns ? line : Styled(String(glyphs.ellipsis.prefix(columns)))
    }

    /// The latest readings, the newest first, in words: time, price, source, age, and the failures. A price that does not
    /// fit is replaced as a whole; a failure that does not fit is shortened.
    private func latest(_ readings: [Reading], _ decimals: Int, _ now: Timestamp, _ columns: Int) -> [Styled]
    {
        let prices = readings.map { reading in
            let quote = reading.isFresh ? reading.quote : nil
            return quote.map { wording.money.text($0, keeping: decimals) } ?? "-"
        }
        let width = prices.map(\.columns).max() ?? 0
        return zip(readings, prices).reversed().map { reading, price in
            let time = (reading.at ?? reading.quote?.timestamp).map(wording.clock.text) ?? ""
            let meaning: Palette.Meaning? = reading.isFresh ? nil : .banner
            let line = Styled("\(time)  ", meaning) + Styled(price, meaning).atEnd(of: width)
            let room = columns - line.columns - 2
            if room < 0 {
                return [Styled("\(time)  \(glyphs.ellipsis)"), Styled(time), .empty].first(within: columns)
            }
            return line + Styled("  \(words(of: reading, now).shortened(to: room, glyphs.ellipsis))", meaning)
        }
    }

    private func words(of reading: Reading, _ now: Timestamp) -> String {
        let dispute = reading.isFresh ? reading.dispute : nil
        let failures = reading.failures.filter { $0 != dispute }.map { "\($0.source): \($0.message)" }
            .joined(separator: "; ")
        guard reading.isFresh, let quote = reading.quote else {
            return failures.isEmpty ? "no quote" : glyphs.shown(failures)
        }
        var words = "\(reading.source ?? "")  \(Age(since: quote.timestamp, at: now).text)"
        if let dispute { words += "  disputed: \(wording.dispute(dispute, quote.currency))" }
        if !failures.isEmpty { words += "  after \(failures)" }
        return glyphs.shown(words)
    }
}
