import PipeCommon

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
