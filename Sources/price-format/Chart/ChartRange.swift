import PipeCommon

/// How far back a chart goes; also a value of `--range`.
enum ChartRange: String, CaseIterable {
    case hour = "1h"
    case day = "24h"
    case week = "7d"
    case month = "31d"
    case year = "1y"

    /// The length of the candles in the chart.
    var candle: Candle {
        switch self {
        case .hour: .minute
        case .day: .quarterHour
        case .week: .hour
        case .month, .year: .day
        }
    }

    /// The number of candles in the chart, including holes. The last candle may still be open.
    var count: Int {
        switch self {
        case .hour: 60
        case .day: 96
        case .week: 168
        case .month: 31
        case .year: 365
        }
    }

    /// Whether the times below the chart are in UTC. This is the case for day candles, which begin at midnight UTC.
    var isInUTC: Bool { candle == .day }

    /// Whether a chart of this range that ends with the candle at the time `last` also contains the candle at the time
    /// `first`.
    func holds(_ first: Timestamp, _ last: Timestamp) -> Bool {
        candle.beginning(of: first) >= candle.beginning(of: last) + candle.length * -(count - 1)
    }

    /// The next shorter or longer range; this range if there is none.
    func neighbor(isLonger: Bool) -> ChartRange {
        let all = Self.allCases
        let place = all.firstIndex(of: self)! + (isLonger ? 1 : -1)
        return all.indices.contains(place) ? all[place] : self
    }
}
