import PipeCommon

extension PushSource {
    /// Kraken, version 2, tickers: a snapshot, then each trade; heartbeats while it is quiet. Prices are JSON numbers.
    ///
    ///     wss://ws.kraken.com/v2
    ///     {"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD"]}}
    ///     {"method":"subscribe","result":{"channel":"ticker","snapshot":true,"symbol":"BTC/USD"},"success":true,…}
    ///     {"channel":"ticker","type":"update","data":[{"symbol":"BTC/USD","last":92066.9,…}]}
    ///     {"channel":"heartbeat"}
    ///     {"channel":"status","type":"update","data":[{"system":"online",…}]}, or "maintenance", "cancel_only", "post_only"
    ///     {"method":"unsubscribe","result":{"channel":"ticker","symbol":"BTC/USD"},"success":true,…}
    ///
    /// `timestamp`, which a ticker has since 2025, is that of its last change.
    /// Errors: `{"method":"subscribe","success":false,"error":"Currency pair not supported BTC/XYZ","symbol":"BTC/XYZ"}`.
    /// https://docs.kraken.com/api/docs/websocket-v2/ticker
    static let kraken = PushSource(
        name: "kraken", address: "wss://ws.kraken.com/v2",
        market: { "\($0.base)/\($0.currency.code)" },
        request: { #"{"method":"\#($0)","params":{"channel":"ticker","symbol":[\#(list($1))]}}"# },
        message: { json in
            if let method = json["method"]?.string { return answer(method, json) }
            switch json["channel"]?.string {
            case "heartbeat": return .heartbeat
            case "ticker": return .several((json["data"]?.elements ?? [json["data"] ?? .null]).map(ticker))
            case "status":
                let system = json["data"]?[0]?["system"]?.string ?? "online"
                return system == "online" ? .other : .halted("the exchange is in the state \(system)")
            default: return .other
            }
        },
        oldestPrice: .seconds(600))
}

private func ticker(_ json: JSON) -> PushSource.Message {
    guard let market = json["symbol"]?.string else {
        return .unreadable(market: nil, reason: "a ticker without a symbol")
    }
    return PushSource.price(
        "/last", as: .number, in: json, of: market, time: TimeField("/timestamp", in: .rfc3339))
}

private func answer(_ method: String, _ json: JSON) -> PushSource.Message {
    let market = json["result"]?["symbol"]?.string ?? json["symbol"]?.string
    switch method {
    case "subscribe":
        guard let error = json["error"]?.string else { return .accepted }
        if error.lowercased().contains("already subscribed") { return .accepted }
        return .refused([error, market].compactMap(\.self).joined(separator: " "))
    case "unsubscribe": return market.map { .ended(market: $0) } ?? .accepted
    default: return .other
    }
}
