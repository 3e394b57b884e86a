import PipeCommon

/// Draws the prices of a chart into a grid of characters, without axes. Pure.
struct ChartPlot {
    let glyphs: Glyphs
    let columns: Int
    let rows: Int
    let scale: ChartScale

    /// Draws candlesticks: a thin line from the lowest to the highest price, and a body from the open to the close. If
    /// the price fell, the body is drawn with other characters (see `Glyphs`). If there are more candles than columns,
    /// candles that share a column are joined.
    func candles(_ chart: Chart) -> [Styled] {
        var joined: [(places: ClosedRange<Int>, candle: ChartCandle)] = []
        for (index, candle) in chart.candles.enumerated() {
            guard let candle else { continue }
            let places = chart.places(ofCandle: index, of: columns)
            if let last = joined.indices.last, joined[last].places == places {
                joined[last].candle.join(candle)
            } else {
                joined.append((places, candle))
            }
        }
        let blank: Cell = (glyph: " ", meaning: nil)
        var cells = Array(repeating: Array(repeating: blank, count: columns), count: rows)
        // All candlesticks have the same odd width, so that the thin line is in the middle. If there is room, they are
        // at least one column apart.
        let room = max(1, columns / chart.candles.count - 1)
        let width = room.isMultiple(of: 2) ? room - 1 : room
        for (places, candle) in joined { draw(candle, at: places.prefix(width), &cells) }
        return cells.reversed().map { Styled($0) }
    }

    private typealias Cell = (glyph: Unicode.Scalar, meaning: Palette.Meaning?)

    private func draw(_ candle: ChartCandle, at places: Slice<ClosedRange<Int>>, _ cells: inout [[Cell]]) {
        let parts = glyphs.candleParts
        func level(_ price: Int128) -> Int { scale.level(of: price, of: rows * parts) }
        let (bottom, top) = (level(min(candle.open, candle.close)), level(max(candle.open, candle.close)))
        let (low, high) = (level(candle.low), level(candle.high))
        let signs = candle.isRising ? glyphs.rising : glyphs.falling
        let meaning: Palette.Meaning = candle.isRising ? .up : .down
        let middle = places[places.startIndex] + places.count / 2
        for row in low / parts...high / parts {
            // The contents of the parts of this row, as a number in base 3 with one digit per part: 0 for nothing, 1
            // for the thin line, 2 for the body. `thick` contains only the body.
            var (all, thick) = (0, 0)
            for level in row * parts..<(row + 1) * parts {
                let isThick = (bottom...top).contains(level)
                all = 3 * all + (isThick ? 2 : (low...high).contains(level) ? 1 : 0)
                thick = 3 * thick + (isThick ? 2 : 0)
            }
            for column in places { cells[row][column] = (signs[thick], meaning) }
            cells[row][middle] = (signs[all], meaning)
        }
    }

    /// Draws the closes as a line. The line is horizontal for the width of each candle, and a vertical stroke joins
    /// each close to the preceding close, unless the preceding close is missing. Where several closes share a column of
    /// dots, the stroke spans all of them.
    func line(_ chart: Chart) -> [Styled] {
        var canvas = DotCanvas(columns: columns, rows: rows, usesBraille: glyphs.usesBraille)
        var strokes: [ClosedRange<Int>?] = Array(repeating: nil, count: columns * canvas.across)
        func extend(_ x: Int, to level: Int) {
            let old = strokes[x] ?? level...level
            strokes[x] = min(old.lowerBound, level)...max(old.upperBound, level)
        }
        var before: Int?
        for (index, candle) in chart.candles.enumerated() {
            guard let candle else {
                before = nil
                continue
            }
            let level = scale.level(of: candle.close, of: rows * canvas.down)
            let places = chart.places(ofCandle: index, of: strokes.count)
            for x in places { extend(x, to: level) }
            if let before { extend(places.lowerBound, to: before) }
            before = level
        }
        for (x, stroke) in strokes.enumerated() {
            for y in stroke.map(Array.init) ?? [] { canvas.set(x, y) }
        }
        let change = chart.change ?? 0
        let meaning: Palette.Meaning? = change > 0 ? .up : change < 0 ? .down : nil
        return (0..<rows).map { Styled(canvas.text(ofRow: $0), meaning) }
    }
}

/// A grid of dots, drawn as characters. A character shows up to eight dots as a Braille pattern, or one dot as `*`.
struct DotCanvas {
    private let columns: Int
    private let rows: Int
    /// For each row of dots in a character, from the top, the bits of its two dots. Braille numbers the dots column by
    /// column, but the two lowest dots were added later and have the highest bits.
    private static let bits: [[UInt8]] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]]

    /// The number of dots per character, across and down.
    let across: Int
    let down: Int
    /// For each character, its dots as the bits of a Braille pattern; rows are counted from the top.
    private var cells: [[UInt8]]

    init(columns: Int, rows: Int, usesBraille: Bool) {
        (self.columns, self.rows) = (columns, rows)
        (across, down) = usesBraille ? (2, 4) : (1, 1)
        cells = Array(repeating: Array(repeating: 0, count: columns), count: rows)
    }

    /// - Parameters:
    ///   - x: the column of the dot, counted from the left.
    ///   - y: the row of the dot, counted from the bottom.
    mutating func set(_ x: Int, _ y: Int) {
        let fromTop = rows * down - 1 - y
        cells[fromTop / down][x / across] |= Self.bits[fromTop % down][x % across]
    }

    /// The characters of a row; rows are counted from the top.
    func text(ofRow row: Int) -> String {
        var text: [UInt8] = []
        for bits in cells[row] {
            if bits == 0 {
                text.append(UInt8(ascii: " "))
            } else if down == 1 {
                text.append(UInt8(ascii: "*"))
            } else {
                // The UTF-8 encoding of the character whose code is 0x2800 plus the bits.
                text += [0xE2, 0xA0 | bits >> 6, 0x80 | bits & 0x3F]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
