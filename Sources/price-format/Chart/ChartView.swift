import PipeCommon

/// Lays out a chart: a line of dots, round prices at its left, and round times below it. If there is little room,
/// the mark of the last price or the prices at the left are left out. Pure.
struct ChartView {
    /// The fewest columns for the dots.
    private static let leastDots = 16

    let wording: Wording
    let glyphs: Glyphs
    let times: ChartTimes
    let columns: Int
    let rows: Int

    /// - Parameter mark: the text to the right of the last price, if there is room.
    /// - Returns: exactly `rows` lines, or none if there is no price or too little room.
    func lines(_ chart: Chart, mark: Styled = .empty) -> [Styled] {
        // The axis and its times take two rows.
        let height = rows - 2
        guard height > 0, let last = chart.last, let (low, high) = chart.extremes else { return [] }
        let scale = ChartScale(from: low.price.units, to: high.price.units, rows: height)
        let prices = (0..<height).map { row in
            scale.label(ofRow: row).map { wording.money.text($0.price, last.currency, decimals: $0.decimals) }
                ?? ""
        }
        // The labels of the prices, a blank and the axis.
        var gutter = prices.reduce(0) { max($0, $1.columns) } + 2
        if columns - gutter < Self.leastDots { gutter = 0 }
        var width = columns - gutter
        let hasMark = mark.columns > 0 && width - mark.columns - 1 >= Self.leastDots
        if hasMark { width -= mark.columns + 1 }
        guard width > 1 else { return [] }

        var canvas = DotCanvas(columns: width, rows: height, usesBraille: glyphs.usesBraille)
        let count = width * canvas.across
        for x in 0..<count {
            guard let price = chart.price(atDot: x, of: count) else { continue }
            canvas.set(x, scale.dot(of: price, dots: canvas.down))
        }
        let markedRow = scale.dot(of: last.price.units, dots: canvas.down) / canvas.down
        let change = chart.change ?? 0
        let meaning: Palette.Meaning? = change > 0 ? .up : change < 0 ? .down : nil
        let plot = (0..<height).reversed().map { row -> Styled in
            let label = prices[row]
            let sign = label.isEmpty ? glyphs.axis.side : glyphs.axis.price
            let axis = gutter > 0 ? Styled("\(label) \(sign)").atEnd(of: gutter) : .empty
            let line = axis + Styled(canvas.text(ofRow: height - 1 - row), meaning)
            return hasMark && row == markedRow ? line + " " + mark : line
        }
        return plot + timeAxis(chart, gutter, width, dots: canvas.across)
    }

    /// The mark to the right of the last price: a sign that tells whether it is stale, and the price.
    func mark(_ quote: Quote?, isStale: Bool) -> Styled {
        let sign = isStale ? Styled("!", .banner) : Styled(glyphs.live)
        guard let quote else { return sign }
        return sign + Styled(" \(wording.money.text(quote))", isStale ? .banner : nil)
    }

    /// The range, the change, and the lowest and the highest price, the longest form first.
    func heading(_ chart: Chart) -> [Styled] {
        let range = Styled(chart.range.rawValue)
        guard let change = chart.change, let (low, high) = chart.extremes else {
            return [range + "  no candles", range]
        }
        let start = range + "  " + wording.percentage(change)
        let prices = "   high \(wording.money.text(high))   low \(wording.money.text(low))"
        return [start + Styled(prices), start, range]
    }

    private func timeAxis(_ chart: Chart, _ gutter: Int, _ width: Int, dots: Int) -> [Styled] {
        let labelWidth = times.text(chart.end, chart.range).columns + 2
        var line = Array(repeating: glyphs.axis.bottom, count: width)
        var labels = Styled.empty
        let round = ChartAxis.times(chart, room: max(1, width / labelWidth)) {
            times.offset(at: $0, chart.range)
        }
        for time in round {
            let column = chart.dot(of: time, of: width * dots) / dots
            let label = Styled(times.text(time, chart.range))
            let place = max(0, min(gutter + column - label.columns / 2, gutter + width - label.columns))
            guard labels.columns == 0 || place > labels.columns, place + label.columns <= columns else {
                continue
            }
            line[column] = glyphs.axis.time
            labels = labels.atStart(of: place) + label
        }
        let corner = gutter > 0 ? Styled(String(glyphs.axis.corner)).atEnd(of: gutter) : .empty
        return [corner + Styled(String(line)), labels]
    }
}
