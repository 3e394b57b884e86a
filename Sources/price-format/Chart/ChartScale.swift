import PipeCommon

/// Maps prices to heights in a chart: the lowest price to the bottom, the highest to the top. If all prices are equal,
/// they are mapped to the middle. Pure.
struct ChartScale {
    /// The lowest price, and the difference between the highest price and the lowest, in units of 10⁻¹².
    private let lowest: Int128
    private let span: Int128
    private let rows: Int
    /// The difference between neighboring round prices in units of 10⁻¹²: 1, 2 or 5, or one of these followed by zeros.
    private let labelStep: Int128

    /// - Parameter rows: the number of rows in the chart, at least 1.
    init(from lowest: Int128, to highest: Int128, rows: Int) {
        (self.lowest, span, self.rows) = (lowest, highest - lowest, rows)
        let wanted = rows < 4 || lowest == highest ? 1 : rows < 8 ? 2 : max(3, rows / 5)
        var (step, power): (Int128, Int128) = (1, 1)
        func count(_ step: Int128) -> Int128 { highest / step - (lowest - 1) / step }
        while let next = [2, 5, 10].map({ $0 * power }).first(where: { $0 > step }), count(next) >= wanted {
            step = next
            if step == 10 * power { power = step }
        }
        labelStep = step
    }

    /// The level at which a price is drawn, counted from the bottom, if the height is divided into `count` equal
    /// levels. If all prices are equal, this is the middle level or the lower of the two middle levels.
    func level(of price: Int128, of count: Int) -> Int {
        guard span != 0 else { return (count - 1) / 2 }
        let place = (2 * (price - lowest) * Int128(count - 1) + span) / (2 * span)
        return Int(min(max(place, 0), Int128(count - 1)))
    }

    /// The round prices that label rows, and a number of decimals that is enough for all of them. The key of each price
    /// is the number of its row, counted from the bottom. If several round prices are in the same row, only the lowest
    /// is a label.
    ///
    /// - Parameter levels: the number of levels per row.
    func labels(levels: Int) -> (prices: [Int: Price], decimals: Int) {
        var (decimals, rest) = (12, labelStep)
        while decimals > 0, rest % 10 == 0 { (decimals, rest) = (decimals - 1, rest / 10) }
        var prices: [Int: Price] = [:]
        var price = (lowest + labelStep - 1) / labelStep * labelStep
        while price <= lowest + span {
            let row = level(of: price, of: rows * levels) / levels
            if prices[row] == nil { prices[row] = Price(units: price) }
            price += labelStep
        }
        return (prices, decimals)
    }
}

/// Chooses round times for the axis below a chart. Pure.
enum ChartAxis {
    private static let minute = 60_000
    private static let hour = 60 * minute
    private static let day = 24 * hour

    /// The intervals to choose from, in milliseconds; for a year, the approximate lengths of one or more months.
    private static func steps(_ range: ChartRange) -> [Int] {
        switch range {
        case .hour: [5, 10, 15, 20, 30].map { $0 * minute }
        case .day: [1, 2, 3, 4, 6, 12].map { $0 * hour }
        case .week: [1, 2, 4].map { $0 * day }
        case .month: [1, 2, 5, 10, 15].map { $0 * day }
        case .year: [30, 61, 91, 182].map { $0 * day }
        }
    }

    /// - Parameters:
    ///   - room: the number of labels that fit side by side.
    ///   - offset: returns how far the displayed time is ahead of UTC at a given moment, in seconds.
    static func times(_ chart: Chart, room: Int, offset: (Timestamp) -> Int) -> [Timestamp] {
        let (start, end) = (chart.start.milliseconds, chart.end.milliseconds)
        let steps = steps(chart.range)
        let step = steps.first { (end - start) / $0 < room } ?? steps.last!
        if chart.range == .year { return months(from: start, to: end, every: step / (30 * day)) }
        // The offset may change between two labels, for example when summer time begins.
        var shift = offset(chart.start) * 1000
        let first = (start + shift + step - 1) / step * step
        return stride(from: first, through: end + offset(chart.end) * 1000, by: step).compactMap { local in
            shift = offset(Timestamp(milliseconds: local - shift)) * 1000
            let time = Timestamp(milliseconds: local - shift)
            return time.milliseconds + offset(time) * 1000 == local && chart.start <= time
                && time <= chart.end ? time : nil
        }
    }

    /// The beginning, in UTC, of every `count`th month, starting with January of each year. `start` must be the
    /// beginning of a day.
    private static func months(from start: Int, to end: Int, every count: Int) -> [Timestamp] {
        var (times, time): ([Timestamp], Int) = ([], start)
        while time <= end {
            // For example: 2026-11-01T00:00:00.000Z
            let text = Timestamp(milliseconds: time).text
            let (month, date) = (Int(text.dropFirst(5).prefix(2))!, Int(text.dropFirst(8).prefix(2))!)
            if date == 1, (month - 1) % count == 0 { times.append(Timestamp(milliseconds: time)) }
            // No month begins on the skipped days, because every month has at least 28 days.
            time += max(1, 29 - date) * day
        }
        return times
    }
}

/// Formats the times below a chart. Charts of up to 24 hours show hours and minutes, and charts of a week show dates,
/// both in local time. Longer charts show dates or months in UTC. Pure, except for the time zone.
struct ChartTimes {
    private let clock: LocalTimeFormatter
    private let localDays: LocalTimeFormatter
    private let days: LocalTimeFormatter
    private let months: LocalTimeFormatter
    private let offset: (Timestamp) -> Int

    /// - Parameter offset: returns the offset of local time from UTC at a given moment, in seconds, positive east of
    ///   Greenwich.
    init(_ locale: ICULocale, offset: @escaping (Timestamp) -> Int = LocalTimeFormatter.systemOffset) {
        func formatter(_ english: String, _ fields: String, _ offset: @escaping (Timestamp) -> Int)
            -> LocalTimeFormatter
        {
            let format = TimeFormat.pattern(fields, english: english, in: locale)
            return LocalTimeFormatter(format: format, locale: locale, offset: offset)
        }
        clock = formatter("HH:mm", "HHmm", offset)
        localDays = formatter("MMM d", "MMMd", offset)
        days = formatter("MMM d", "MMMd") { _ in 0 }
        months = formatter("MMM", "LLL") { _ in 0 }
        self.offset = offset
    }

    func text(_ time: Timestamp, _ range: ChartRange) -> String {
        switch range {
        case .hour, .day: clock.text(time)
        case .week: localDays.text(time)
        case .month: days.text(time)
        case .year: months.text(time)
        }
    }

    func offset(at time: Timestamp, _ range: ChartRange) -> Int { range.isInUTC ? 0 : offset(time) }
}
