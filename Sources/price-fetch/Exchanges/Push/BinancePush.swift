import PipeCommon

extension PushSource {
    /// Binance, mini tickers: one message per second for each market that has changed. USDT counts as US dollars, 1:1.
    ///
    ///     wss://stream.binance.com:9443/stream
    ///     {"method":"SUBSCRIBE","params":["btcusdt@miniTicker"],"id":1}
    ///     {"result":null,"id":1}
    ///     {"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","E":1672515782136,"s":"BTCUSDT","c":"16850.10",…}}
    ///
    /// Errors: `{"code":2,"msg":"Invalid request: …"}` or `{"error":{"code":2,"msg":…}}`. An unknown market is accepted, and
    /// stays silent. Connections live for 24 hours.
    /// https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams
    static let binance = PushSource(
        name: "binance", address: "wss://stream.binance.com:9443/stream",
        market: \.binanceMarket,
        subscribe: { #"{"method":"SUBSCRIBE","params":[\#(streams($0))],"id":1}"# },
        unsubscribe: { #"{"method":"UNSUBSCRIBE","params":[\#(streams($0))],"id":2}"# },
        message: { json in
            // Nothing waits for the answer to the end of a subscription.
            if json["id"]?.number == "2" { return .other }
            if let error = json["msg"]?.string ?? json["error"]?["msg"]?.string { return .refused(error) }
            guard let data = json["data"] else { return json["id"] == nil ? .other : .accepted }
            if data["e"]?.string == "serverShutdown" { return .reconnect }
            guard data["e"]?.string == "24hrMiniTicker", let market = data["s"]?.string else { return .other }
            if let stream = json["stream"]?.string, stream != streamName(market) {
                return .unreadable(market: market, reason: "a message of the stream \(stream)")
            }
            let sequence = data["E"]?.number.flatMap(Int.init)
            return price("/c", as: .string, in: data, of: market, sequence: sequence)
        },
        lifetime: .seconds(23 * 60 * 60))
}

private func streams(_ markets: [String]) -> String {
    PushSource.list(markets.map(streamName))
}

private func streamName(_ market: String) -> String {
    "\(market.lowercased())@miniTicker"
}
