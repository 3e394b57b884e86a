import PipeCommon

/// Lays out a chart: candlesticks or a line, round prices to the left, and round times below. If there is little room,
/// parts of the chart or the whole chart are left out. Pure.
struct ChartView {
    /// The price labels and the mark are each left out if they would leave fewer columns than this for the drawing.
    private static let leastPlot = 16

    let wording: Wording
    let glyphs: Glyphs
    let times: ChartTimes
    let columns: Int
    var rows: Int
    /// Whether the closes are drawn as a line even if candlesticks could be drawn.
    let isLine: Bool

    /// - Parameter mark: the text to print to the right of the last price, if there is room.
    /// - Returns: exactly `rows` lines, or none if there is no price or too little room.
    func lines(_ chart: Chart, mark: Styled = .empty) -> [Styled] {
        // The time axis and its labels take two rows.
        let height = rows - 2
        let drawsCandles = chart.hasRanges && !isLine
        guard height > 0, let last = chart.last, let (low, high) = chart.extremes(ofCloses: !drawsCandles)
        else { return [] }
        let scale = ChartScale(from: low, to: high, rows: height)
        let levels = drawsCandles ? glyphs.candleParts : glyphs.usesBraille ? 4 : 1
        let labels = scale.labels(levels: levels)
        let prices = (0..<height).map { row in
            labels.prices[row].map { wording.money.text($0, last.currency, decimals: labels.decimals) } ?? ""
        }
        // The total width of the price labels, a blank and the vertical axis.
        var gutter = prices.map(\.columns).max()! + 2
        if columns - gutter < Self.leastPlot { gutter = 0 }
        var width = columns - gutter
        let hasMark = mark.columns > 0 && width - mark.columns - 1 >= Self.leastPlot
        if hasMark { width -= mark.columns + 1 }
        guard width > 1 else { return [] }

        let plot = ChartPlot(glyphs: glyphs, columns: width, rows: height, scale: scale)
        let drawn = drawsCandles ? plot.candles(chart) : plot.line(chart)
        let markedRow = scale.level(of: last.price.units, of: height * levels) / levels
        let lines = zip((0..<height).reversed(), drawn).map { row, drawn -> Styled in
            let label = prices[row]
            let sign = label.isEmpty ? glyphs.axis.side : glyphs.axis.price
            let axis = gutter == 0 ? .empty : Styled("\(label) \(sign)").atEnd(of: gutter)
            return axis + drawn + (hasMark && row == markedRow ? " " + mark : .empty)
        }
        return lines + timeAxis(chart, gutter, width)
    }

    /// The mark to the right of the last price: a character that shows whether the price is stale or disputed, followed
    /// by the price unless `quote` is nil.
    func mark(_ quote: Quote?, isStale: Bool, isDisputed: Bool) -> Styled {
        let meaning: Palette.Meaning? = isStale || isDisputed ? .banner : nil
        let sign = Styled(isStale ? "!" : isDisputed ? "?" : glyphs.live, meaning)
        guard let quote else { return sign }
        return sign + Styled(" \(wording.money.text(quote))", meaning)
    }

    /// The forms of the heading, longest first. If there are candles, the longest form contains the range, the change
    /// if it is known, and the extreme prices.
    func heading(_ chart: Chart) -> [Styled] {
        let range = Styled(chart.range.rawValue)
        guard chart.hasCandles, let last = chart.last, let (low, high) = chart.extremes else {
            return [range + "  no candles", range]
        }
        let start = chart.change.map { range + "  " + wording.percentage($0) } ?? range
        let (highest, lowest) = chart.hasRanges ? ("high", "low") : ("highest close", "lowest close")
        func text(_ units: Int128) -> String { wording.money.text(Price(units: units)!, last.currency) }
        return [start + Styled("   \(highest) \(text(high))   \(lowest) \(text(low))"), start, range]
    }

    private func timeAxis(_ chart: Chart, _ gutter: Int, _ width: Int) -> [Styled] {
        let labelWidth = times.text(chart.end, chart.range).columns + 2
        var line = Array(repeating: glyphs.axis.bottom, count: width)
        var labels = Styled.empty
        let round = ChartAxis.times(chart, room: width / labelWidth) { times.offset(at: $0, chart.range) }
        for time in round {
            let places = chart.places(ofCandle: chart.index(at: time), of: width)
            let column = (places.lowerBound + places.upperBound) / 2
            let label = Styled(times.text(time, chart.range))
            let place = max(0, min(gutter + column - label.columns / 2, gutter + width - label.columns))
            guard labels.columns == 0 || place > labels.columns, place + label.columns <= columns else {
                continue
            }
            line[column] = glyphs.axis.time
            labels = labels.atStart(of: place) + label
        }
        let corner = gutter == 0 ? .empty : Styled(String(glyphs.axis.corner)).atEnd(of: gutter)
        return [corner + Styled(String(line)), labels]
    }
}
