import PipeCommon

/// The latest readings of a symbol in words: time, price, source, age, and the failures. A price that does not fit is
/// replaced as a whole; a failure that does not fit is shortened. Pure.
struct LatestReadings {
    let wording: Wording
    let glyphs: Glyphs
    let now: Timestamp

    func lines(_ readings: some Sequence<Reading>, columns: Int) -> [StyledLine] {
        let texts = readings.map(fields)
        let width = texts.map(\.price.columns).max() ?? 0
        return texts.map { line($0, width, columns) }
    }

    private struct Fields {
        let time: String
        let price: String
        let words: String
        let isFresh: Bool
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
            isFresh: reading.isFresh)
    }

    private func line(_ fields: Fields, _ width: Int, _ columns: Int) -> StyledLine {
        let gap = String(repeating: " ", count: width - fields.price.columns)
        let meaning: Palette.Meaning? = fields.isFresh ? nil : .banner
        let line = StyledLine("\(fields.time)  \(gap)\(fields.price)", meaning)
        let room = columns - line.columns - 2
        guard room >= 0 else {
            return [StyledLine("\(fields.time)  \(glyphs.ellipsis)"), StyledLine(fields.time), .empty]
                .first(within: columns)
        }
        return line + StyledLine("  \(fields.words.shortened(to: room, glyphs.ellipsis))", meaning)
    }
}
