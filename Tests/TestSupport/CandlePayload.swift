import PipeCommon

/// The candles of an exchange as it writes them, with the rows in a given order.
public enum CandlePayload: String, CaseIterable, Sendable {
    case binance, coinbase, kraken, bitstamp

    /// A candle's beginning, without the seconds, and its closing price.
    public typealias Row = (at: String, close: String)

    /// - Parameters:
    ///   - pair: base and currency in the exchange's own spelling of an answer; that of BTC-USD if nil.
    ///   - length: of a candle, in milliseconds.
    public func body(_ rows: [Row], pair: String? = nil, length: Int = 86_400_000) -> String {
        let rows = rows.map { row($0.at, $0.close, length) }.joined(separator: ",")
        return switch self {
        case .binance, .coinbase: "[\(rows)]"
        case .kraken: #"{"error":[],"result":{"\#(pair ?? "XXBTZUSD")":[\#(rows)],"last":1688672160}}"#
        case .bitstamp: #"{"data":{"pair":"\#(pair ?? "BTC/USD")","ohlc":[\#(rows)]}}"#
        }
    }

    /// Only the close is what is asked for; the other prices are there to be mistaken for it.
    private func row(_ at: String, _ close: String, _ length: Int) -> String {
        let time = Timestamp("\(at):00.000Z")!.milliseconds
        return switch self {
        case .binance:
            #"[\#(time),"1.01","1.02","1.03","\#(close)","148976.1",\#(time + length - 1),"2.1",308,"1.5","2.8","0"]"#
        case .coinbase: "[\(time / 1000),1.03,1.02,1.01,\(close),0.02816506]"
        case .kraken: #"[\#(time / 1000),"1.01","1.02","1.03","\#(close)","1.04","3.39243896",23]"#
        case .bitstamp:
            #"{"high":"1.02","timestamp":"\#(time / 1000)","volume":"18.4","low":"1.03","close":"\#(close)","open":"1.01"}"#
        }
    }
}
