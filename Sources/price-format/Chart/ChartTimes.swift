import PipeCommon

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
