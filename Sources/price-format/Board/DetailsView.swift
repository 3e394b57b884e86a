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
        let readings = LatestReadings(wording: wording, glyphs: glyphs, now: now)
        let room = size.rows - lines.count - 1
        if room > 0 {
            lines += [.empty] + readings.lines(row.latest.suffix(room).reversed(), columns: columns)
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
        guard let high = row.session.high.map(wording.money.text),
            let low = row.session.low.map(wording.money.text)
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
}

/// The latest readings of a symbol in words: time, price, source, age, and the failures. A price that does not fit is
/// replaced as a whole; a failure that does not fit is shortened. Pure.
struct LatestReadings {
    let wording: Wording
    let glyphs: Glyphs
    let now: Timestamp

    func lines(_ readings: some Sequence<Reading>, columns: Int) -> [Styled] {
        let texts = readings.map(fields)
        let width = texts.map(\.price.columns).max() ?? 0
        return texts.map { line($0, width, columns) }
    }

    private struct Fields {
        let time: String
        let price: String
        let words: String
        let meaning: Palette.Meaning?
    }

    private func fields(of reading: Reading) -> Fields {
        let time = reading.at ?? reading.quote?.timestamp
        let dispute = reading.isFresh ? reading.dispute : nil
        let failures = reading.failures.filter { $0 != dispute }.map { "\($0.source): \($0.message)" }
            .joined(separator: "; ")
        var words = failures.isEmpty ? "no quote" : failures
        if reading.isFresh, let quote = reading.quote {
            words = "\(reading.source ?? "")  \(Age(of: quote, at: now).text)"
            if let dispute { words += "  disputed: \(wording.dispute(dispute, quote.currency))" }
            if !failures.isEmpty { words += "  after \(failures)" }
        }
        return Fields(
            time: time.map(wording.clock.text) ?? "",
            price: reading.isFresh ? reading.quote.map(wording.money.text) ?? "-" : "-",
            words: glyphs.shown(words),
            meaning: reading.isFresh ? nil : .banner)
    }

    private func line(_ fields: Fields, _ width: Int, _ columns: Int) -> Styled {
        let line =
            Styled("\(fields.time)  ", fields.meaning) + Styled(fields.price, fields.meaning).atEnd(of: width)
        let room = columns - line.columns - 2
        guard room >= 0 else {
            return [Styled("\(fields.time)  \(glyphs.ellipsis)"), Styled(fields.time), .empty]
                .first(within: columns)
        }
        return line + Styled("  \(fields.words.shortened(to: room, glyphs.ellipsis))", fields.meaning)
    }
}
