import PipeCommon

extension PushSource {
    /// Bitstamp, live trades: silent until the next trade. A quiet market is proven by heartbeats, which have to be asked for.
    ///
    ///     wss://ws.bitstamp.net
    ///     {"event":"bts:subscribe","data":{"channel":"live_trades_btcusd"}}
    ///     {"event":"bts:subscription_succeeded","channel":"live_trades_btcusd","data":{}}
    ///     {"data":{"timestamp":"1641343699","price_str":"46805.44","microtimestamp":"1641343699596000",…},"channel":"live_trades_btcusd","event":"trade"}
    ///
    /// An unknown market is accepted, and stays silent.
    /// Errors, which name no market: `{"event":"bts:error","channel":"","data":{"code":null,"message":"…"}}`. `bts:request_reconnect` asks for a new
    /// connection.
    /// https://www.bitstamp.net/websocket/v2/
    static let bitstamp = PushSource(
        name: "bitstamp", address: "wss://ws.bitstamp.net",
        market: \.bitstampMarket,
        request: { #"{"event":"bts:\#($0)","data":{"channel":"\#(channel)\#($1[0])"}}"# },
        message: { json in
            switch json["event"]?.string {
            case "bts:subscription_succeeded": return .accepted
            case "bts:unsubscription_succeeded":
                return tradedMarket(json).map { .ended(market: $0) } ?? .accepted
            case "bts:heartbeat": return .heartbeat
            case "bts:error":
                return .refused(json["data"]?["message"]?.string ?? "an error without a message")
            case "bts:request_reconnect": return .reconnect
            case "trade":
                guard let market = tradedMarket(json), let data = json["data"] else {
                    return .unreadable(
                        market: tradedMarket(json),
                        reason: "a trade of \(json["channel"]?.string ?? "no channel")")
                }
                return price(
                    "/price_str", as: .string, in: data, of: market,
                    sequence: data["microtimestamp"]?.string.flatMap(Int.init),
                    time: TimeField("/microtimestamp", in: .microseconds))
            default: return .other
            }
        },
        heartbeatRequest: #"{"event":"bts:heartbeat"}"#,
        largestBatch: 1)
}

private func tradedMarket(_ json: JSON) -> String? {
    json["channel"]?.string.flatMap { $0.hasPrefix(channel) ? String($0.dropFirst(channel.count)) : nil }
}

private let channel = "live_trades_"
