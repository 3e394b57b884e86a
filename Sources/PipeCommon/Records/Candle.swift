/// The length of a candle. A tick with a candle requests the closing price of the candle that begins at its
/// `at`. Candles begin at multiples of their length since 1970, so day candles begin at midnight UTC.
public enum Candle: String, TextValue, CaseIterable {
    case minute = "1m"
    case fiveMinutes = "5m"
    case quarterHour = "15m"
    case hour = "1h"
    case day = "1d"

    public var length: Duration {
        switch self {
        case .minute: .seconds(60)
        case .fiveMinutes: .seconds(300)
        case .quarterHour: .seconds(900)
        case .hour: .seconds(3600)
        case .day: .seconds(86400)
        }
    }

    /// The beginning of the candle that contains a time.
    public func beginning(of time: Timestamp) -> Timestamp {
        let (whole, since) = (length.milliseconds, time.milliseconds)
        let remainder = since % whole
        return Timestamp(milliseconds: since - (remainder < 0 ? remainder + whole : remainder))
    }
}
