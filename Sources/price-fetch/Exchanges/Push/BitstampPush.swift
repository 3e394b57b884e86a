import PipeCommon

extension PushSource {
    /// Bitstamp, live trades: silent until the next trade.
    ///
    ///     wss://ws.bitstamp.net
    ///     {"event":"bts:subscribe","data":{"channel":"live_trades_btcusd"}}
    ///     {"event":"bts:subscription_succeeded","channel":"live_trades_btcusd","data":{}}
    ///     {"data":{"timestamp":"1641343699","price_str":"46805.44","microtimestamp":"1641343699596000",…},"channel":"live_trades_btcusd","event":"trade"}
    ///
    /// Errors: `{"event":"bts:error","channel":"","data":{"code":null,"message":"…"}}`. `bts:request_reconnect` asks for a new
    /// connection.
    /// https://www.bitstamp.net/websocket/v2/
    static let bitstamp = PushSource(
        name: "bitstamp", address: "wss://ws.bitstamp.net",
        market: \.bitstampMarket,
        subscribe: { #"{"event":"bts:subscribe","data":{"channel":"\#(channel)\#($0[0])"}}"# },
        unsubscribe: { #"{"event":"bts:unsubscribe","data":{"channel":"\#(channel)\#($0[0])"}}"# },
        message: { json in
            switch json["event"]?.string {
            case "bts:subscription_succeeded": return .accepted
            case "bts:error":
                return .refused(json["data"]?["message"]?.string ?? "an error without a message")
            case "bts:request_reconnect": return .reconnect
            case "trade":
                guard let name = json["channel"]?.string, name.hasPrefix(channel), let data = json["data"]
                else {
                    return .other
                }
                return price(
                    "/price_str", as: .string, in: data, of: String(name.dropFirst(channel.count)),
                    sequence: data["microtimestamp"]?.string.flatMap(Int.init))
            default: return .other
            }
        },
        largestBatch: 1)
}

private let channel = "live_trades_"
