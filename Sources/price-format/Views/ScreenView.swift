import Foundation
import PipeCommon

/// Lays out a board on a screen: for each symbol its price as large as it fits. The line below says how the
/// price has changed, when it was updated and, if it is not the primary, by which source; or it is the
/// banner. Pure.
struct ScreenView {
    private let wording: Wording
    private let palette: Palette
    private let glyphs: Glyphs

    init(_ wording: Wording, _ palette: Palette, _ glyphs: Glyphs) {
        self.wording = wording
        self.palette = palette
        self.glyphs = glyphs
    }

    /// At most as many lines as the screen has rows, none wider than its columns.
    func lines(_ board: Board, _ size: ScreenSize) -> [String] {
        let rows = max(1, size.rows / max(1, board.rows.count))
        let blocks = board.rows.flatMap { block($0, ScreenSize(columns: size.columns, rows: rows)) }
        return blocks.prefix(size.rows).map { $0.text(columns: size.columns, palette) }
    }

    /// The lines of one symbol.
    private func block(_ row: Board.Row, _ size: ScreenSize) -> [StyledLine] {
        let reading = row.reading
        let symbol = reading.pricedSymbol
        let below = reading.isFresh ? status(row, size.columns) : banner(reading, size.columns)
        // Enough for a heading, for empty lines, and for the smallest of the large digits.
        let isRoomy = size.rows >= below.count + 8
        let price = reading.quote.map(wording.money.text) ?? "-"
        let room = size.rows - below.count - (isRoomy ? 3 : 0)
        let large = BigText.lines(price, columns: size.columns, rows: room, block: glyphs.block)
        let isNamed = !isRoomy && symbol != .bitcoin
        let lines = (large ?? [isNamed ? "\(symbol.text) \(price)" : price]).map { StyledLine($0, .price) }
        let block = isRoomy ? [StyledLine(symbol.text), .empty] + lines + [.empty] + below : lines + below
        return Array(block.prefix(size.rows))
    }

    /// One line if it fits, otherwise two.
    private func status(_ row: Board.Row, _ columns: Int) -> [StyledLine] {
        let reading = row.reading
        let source = reading.failures.isEmpty ? "" : " \(glyphs.dash) \(reading.source ?? "")"
        let updated = (reading.quote.map { wording.time.text($0.timestamp) } ?? "") + source
        guard let change = row.change else { return [StyledLine(updated)] }
        let changed = text(change)
        let line = StyledLine(changed, change.meaning)
        let fits = changed.count + 2 + updated.count <= columns
        return fits ? [line + StyledLine("  \(updated)")] : [StyledLine(updated), line]
    }

    private func banner(_ reading: Reading, _ columns: Int) -> [StyledLine] {
        wording.banner(of: reading).wrapped(to: columns).map { StyledLine($0, .banner) }
    }

    /// The direction is a sign as well as a color.
    private func text(_ change: PriceChange) -> String {
        switch change {
        case .up(let difference): "\(glyphs.up) +\(wording.money.text(difference))"
        case .down(let difference): "\(glyphs.down) -\(wording.money.text(difference))"
        }
    }
}

extension PriceChange {
    fileprivate var meaning: Palette.Meaning {
        if case .up = self { .up } else { .down }
    }
}
