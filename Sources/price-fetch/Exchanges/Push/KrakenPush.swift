import PipeCommon

extension PushSource {
    /// Kraken, version 2, tickers: a snapshot, then each trade; heartbeats while it is quiet. Prices are JSON numbers.
    ///
    ///     wss://ws.kraken.com/v2
    ///     {"method":"subscribe","params":{"channel":"ticker","symbol":["BTC/USD"]}}
    ///     {"method":"subscribe","result":{"channel":"ticker","snapshot":true,"symbol":"BTC/USD"},"success":true,…}
    ///     {"channel":"ticker","type":"update","data":[{"symbol":"BTC/USD","last":92066.9,…}]}
    ///     {"channel":"heartbeat"}
    ///
    /// Errors: `{"method":"subscribe","success":false,"error":"Currency pair not supported BTC/XYZ","symbol":"BTC/XYZ"}`.
    /// https://docs.kraken.com/api/docs/websocket-v2/ticker
    static let kraken = PushSource(
        name: "kraken", address: "wss://ws.kraken.com/v2",
        market: { "\($0.base)/\($0.currency.code)" },
        subscribe: { #"{"method":"subscribe","params":{"channel":"ticker","symbol":[\#(list($0))]}}"# },
        unsubscribe: { #"{"method":"unsubscribe","params":{"channel":"ticker","symbol":[\#(list($0))]}}"# },
        message: { json in
            if let method = json["method"] {
                // Nothing waits for the answer to the end of a subscription.
                if method.string != "subscribe" { return .other }
                guard let error = json["error"]?.string else { return .accepted }
                if error.lowercased().contains("already subscribed") { return .accepted }
                return .refused([error, json["symbol"]?.string].compactMap(\.self).joined(separator: " "))
            }
            guard json["channel"]?.string == "ticker" else { return .other }
            return .several(
                (json["data"]?.elements ?? []).compactMap { ticker in
                    ticker["symbol"]?.string.map { price("/last", as: .number, in: ticker, of: $0) }
                })
        })
}
