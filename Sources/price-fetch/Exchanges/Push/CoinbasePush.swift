import PipeCommon

extension PushSource {
    /// Coinbase Exchange, tickers: the last trade at once, then each trade; a heartbeat every second.
    ///
    ///     wss://ws-feed.exchange.coinbase.com
    ///     {"type":"subscribe","product_ids":["BTC-USD"],"channels":["ticker","heartbeat"]}
    ///     {"type":"subscriptions","channels":[…]}
    ///     {"type":"ticker","sequence":7388547310,"product_id":"BTC-USD","price":"22345.67","time":"2023-03-04T03:37:20.799258Z",…}
    ///     {"type":"heartbeat","sequence":90,"product_id":"BTC-USD",…}
    ///
    /// `time` is that of the last trade, which may be minutes ago when the first ticker arrives.
    /// Errors: `{"type":"error","message":"Failed to subscribe","reason":"BTC-XYZ is not a valid product"}`.
    /// https://docs.cdp.coinbase.com/exchange/docs/websocket-channels
    static let coinbase = PushSource(
        name: "coinbase", address: "wss://ws-feed.exchange.coinbase.com",
        market: \.coinbaseMarket,
        request: { #"{"type":"\#($0)","product_ids":[\#(list($1))],"channels":["ticker","heartbeat"]}"# },
        message: { json in
            switch json["type"]?.string {
            case "subscriptions":
                let tickers = json["channels"]?.elements?.filter { $0["name"]?.string == "ticker" } ?? []
                return .subscribed(tickers.flatMap { $0["product_ids"]?.elements ?? [] }.compactMap(\.string))
            case "heartbeat": return .heartbeat
            case "error":
                let words = [json["message"]?.string, json["reason"]?.string].compactMap(\.self)
                return .refused(words.isEmpty ? "an error without a message" : words.joined(separator: ": "))
            case "ticker":
                guard let market = json["product_id"]?.string else {
                    return .unreadable(market: nil, reason: "a ticker without a product")
                }
                let sequence = json["sequence"]?.number.flatMap(Int.init)
                return price(
                    "/price", as: .string, in: json, of: market, sequence: sequence,
                    time: TimeField("/time", in: .rfc3339))
            default: return .other
            }
        },
        oldestPrice: .seconds(600))
}
