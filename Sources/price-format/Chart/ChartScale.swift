import PipeCommon

/// Maps prices to the rows of a chart. Round prices are in the middle of every row, or of every second, fourth, …
/// one. Pure.
struct ChartScale {
    /// The price in the middle of the lowest row, and the difference from row to row, in units of 10⁻¹².
    private let bottom: Int128
    private let step: Int128
    private let rows: Int
    /// The difference between two labels: 1, 2 or 5, followed by zeros.
    private let labelStep: Int128

    /// - Parameter rows: at least 1.
    init(from lowest: Int128, to highest: Int128, rows: Int) {
        let every: Int128 = rows < 4 ? 1 : rows < 10 ? 2 : rows < 24 ? 4 : rows < 40 ? 5 : 10
        // Prices that hardly differ do not fill the height.
        let least = max((highest - lowest) * every / Int128(rows), highest / 5000, 100)
        let candidates = Self.roundNumbers(from: least)
        (self.rows, labelStep) = (
            rows, candidates.first { Self.fits(lowest, highest, rows, $0 / every) } ?? candidates.last!
        )
        step = labelStep / every
        bottom = Self.bottom(lowest, highest, rows, step)
    }

    /// The price of the lowest row that centers the prices in the height, but at least zero.
    private static func bottom(_ lowest: Int128, _ highest: Int128, _ rows: Int, _ step: Int128) -> Int128 {
        let ideal = (lowest + highest - Int128(rows - 1) * step + step) / 2
        return max(0, ideal / step * step)
    }

    private static func fits(_ lowest: Int128, _ highest: Int128, _ rows: Int, _ step: Int128) -> Bool {
        let bottom = bottom(lowest, highest, rows, step)
        return lowest * 2 >= bottom * 2 - step && highest * 2 < (bottom + Int128(rows - 1) * step) * 2 + step
    }

    /// Some numbers of at least this size that are 1, 2 or 5 followed by at least two zeros.
    private static func roundNumbers(from least: Int128) -> [Int128] {
        var power: Int128 = 100
        while power * 10 <= least { power *= 10 }
        return [1, 2, 5, 10, 20, 50, 100].map { $0 * power }.filter { $0 >= least }
    }

    /// The height of a price, counted in dots from the bottom.
    ///
    /// - Parameter dots: the number of dots per row.
    func dot(of price: Int128, dots: Int) -> Int {
        let dots = Int128(dots)
        let place = (2 * dots * (price - bottom) + dots * step) / (2 * step)
        return Int(min(max(place, 0), Int128(rows) * dots - 1))
    }

    /// The round price in the middle of a row, counted from the bottom, and the decimals that all labels need; nil if
    /// the row is not labeled.
    func label(ofRow row: Int) -> (price: Price, decimals: Int)? {
        let price = bottom + Int128(row) * step
        guard price % labelStep == 0, let label = Price(units: price) else { return nil }
        var (decimals, rest) = (12, labelStep)
        while decimals > 0, rest % 10 == 0 { (decimals, rest) = (decimals - 1, rest / 10) }
        return (label, decimals)
    }
}

/// The round times below a chart. Pure.
enum ChartAxis {
    private static let minute = 60_000
    private static let hour = 60 * minute
    private static let day = 24 * hour

    /// The possible intervals between the times, in milliseconds.
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
    ///   - offset: the offset from UTC of the displayed time at a moment, in seconds.
    static func times(_ chart: Chart, room: Int, offset: (Timestamp) -> Int) -> [Timestamp] {
        let (start, end) = (chart.start.milliseconds, chart.end.milliseconds)
        let steps = steps(chart.range)
        let step = steps.first { (end - start) / $0 < room } ?? steps.last!
        if chart.range == .year { return months(from: start, to: end, every: (step + 15 * day) / (30 * day)) }
        // The offset may change between two labels.
        var shift = offset(chart.start) * 1000
        let first = (start + shift + step - 1) / step * step
        return stride(from: first, through: end + offset(chart.end) * 1000, by: step).compactMap { local in
            shift = offset(Timestamp(milliseconds: local - shift)) * 1000
            let time = Timestamp(milliseconds: local - shift)
            return time.milliseconds + offset(time) * 1000 == local && chart.start <= time
                && time <= chart.end ? time : nil
        }
    }

    /// The beginnings of every `count`th month.
    private static func months(from start: Int, to end: Int, every count: Int) -> [Timestamp] {
        (start / day...end / day).map { Timestamp(milliseconds: $0 * day) }.filter { time in
            // 2026-11-01T…
            let (month, date) = (Int(time.text.dropFirst(5).prefix(2))!, time.text.dropFirst(8).prefix(2))
            return date == "01" && (month - 1) % count == 0 && time.milliseconds >= start
        }
    }
}

/// Formats the times below a chart: hours and minutes, or the days of a week, in local time; for longer ranges,
/// days and months in UTC. Pure, except for the time zone.
struct ChartTimes {
    private let clock: LocalTimeFormatter
    private let localDays: LocalTimeFormatter
    private let days: LocalTimeFormatter
    private let months: LocalTimeFormatter
    private let offset: (Timestamp) -> Int

    /// - Parameter offset: the offset of local time from UTC at a moment, in seconds, positive east of Greenwich.
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
