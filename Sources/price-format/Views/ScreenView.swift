import Foundation
import PipeCommon

/// What fills a screen of a given size: for each symbol the price as large as it fits, and below it how it has moved,
/// when it was updated, and by whom when that is not the primary; or the banner while there is no new one. Pure.
struct ScreenView {
    struct Size: Equatable {
        var columns: Int
        var rows: Int
    }

    private typealias Part = (text: String, meaning: Palette.Meaning?)

    private let plain: PlainView
    private let time: LocalTimeFormatter
    private let money: MoneyFormatter
    private let locale: Locale
    private let palette: Palette
    private let glyphs: Glyphs
    private var symbols: [Symbol] = []
    private var readings: [Symbol: Reading] = [:]
    private var movements: [Symbol: PriceChange] = [:]

    init(_ options: FormatOptions, _ palette: Palette, _ glyphs: Glyphs) {
        plain = PlainView(options, Palette(usesColor: false))
        time = LocalTimeFormatter(format: options.timeFormat, locale: options.locale)
        money = MoneyFormatter(locale: options.locale)
        locale = options.locale
        self.palette = palette
        self.glyphs = glyphs
    }

    mutating func note(_ reading: Reading) {
        let symbol = reading.pricedSymbol
        if readings[symbol] == nil { symbols.append(symbol) }
        if reading.isFresh, let quote = reading.quote {
            movements[symbol] = PriceChange(from: readings[symbol]?.quote, to: quote)
        }
        readings[symbol] = reading
    }

    /// No more lines than rows, and none wider than the columns.
    func lines(_ size: Size) -> [String] {
        let rows = max(1, size.rows / max(1, symbols.count))
        let blocks = symbols.flatMap { block(readings[$0]!, Size(columns: size.columns, rows: rows)) }
        return Array(blocks.prefix(size.rows))
    }

    private func block(_ reading: Reading, _ size: Size) -> [String] {
        let below = reading.isFresh ? status(reading, size.columns) : banner(reading, size.columns)
        // Room for the symbol and for empty lines between.
        let isRoomy = size.rows >= below.count + 8
        let (symbol, isNamed) = (reading.pricedSymbol, isRoomy || reading.pricedSymbol != .bitcoin)
        let head: [[Part]] = isRoomy ? [[(symbol.text, nil)], []] : []
        let money = reading.quote.map(money.text) ?? "-"
        let room = size.rows - below.count - (isRoomy ? 3 : 0)
        let big = BigText.lines(money, columns: size.columns, rows: room, block: glyphs.block)
        let price = big ?? [isNamed && !isRoomy ? "\(symbol.text) \(money)" : money]
        let lines = head + price.map { [($0, .price)] } + (isRoomy ? [[]] : []) + below
        return lines.prefix(size.rows).map { line($0, size.columns) }
    }

    /// In one line where it fits.
    private func status(_ reading: Reading, _ columns: Int) -> [[Part]] {
        let source = reading.failures.isEmpty ? "" : " \(glyphs.dash) \(reading.source ?? "")"
        let updated = (reading.quote.map { time.text($0.timestamp) } ?? "") + source
        guard let movement = movements[reading.pricedSymbol] else { return [[(updated, nil)]] }
        let moved = movement.text(glyphs, locale)
        let isOneLine = moved.count + 2 + updated.count <= columns
        return isOneLine
            ? [[(moved, movement.meaning), ("  \(updated)", nil)]]
            : [[(updated, nil)], [(moved, movement.meaning)]]
    }

    /// In as many lines as it takes.
    private func banner(_ reading: Reading, _ columns: Int) -> [[Part]] {
        let lines = plain.banner(of: reading).split(separator: " ").reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines.map { [($0, .banner)] }
    }

    private func line(_ parts: [Part], _ columns: Int) -> String {
        var room = columns
        return parts.map { part in
            let text = String(part.text.prefix(max(0, room)))
            room -= text.count
            return palette.paint(text, part.meaning)
        }.joined()
    }
}
