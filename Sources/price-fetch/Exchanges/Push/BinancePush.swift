import PipeCommon

extension PushSource {
    /// Binance, mini tickers: one message per second for each market that has changed. USDT counts as US dollars, 1:1.
    ///
    ///     wss://stream.binance.com:9443/stream
    ///     {"method":"SUBSCRIBE","params":["btcusdt@miniTicker"],"id":1}
    ///     {"result":null,"id":1}
    ///     {"stream":"btcusdt@miniTicker","data":{"e":"24hrMiniTicker","E":1672515782136,"s":"BTCUSDT","c":"16850.10",…}}
    ///
    /// `E` is when the message was made. There is no heartbeat: a market that does not change is silent.
    /// Errors: `{"code":2,"msg":"Invalid request: …"}` or `{"error":{"code":2,"msg":…}}`. An unknown market is accepted, and
    /// stays silent. Connections live for 24 hours.
    /// https://developers.binance.com/docs/binance-spot-api-docs/web-socket-streams
    static let binance = PushSource(
        name: "binance", address: "wss://stream.binance.com:9443/stream",
        market: \.binanceMarket,
        request: { verb, markets in
            let (streams, id) = (list(markets.map(streamName)), verb == .subscribe ? "1" : unsubscription)
            return #"{"method":"\#(verb.rawValue.uppercased())","params":[\#(streams)],"id":\#(id)}"#
        },
        message: { json in
            if json["id"]?.number == unsubscription { return .accepted }
            if let error = json["msg"]?.string ?? json["error"]?["msg"]?.string { return .refused(error) }
            // At the address of a raw stream, /ws/btcusdt@miniTicker, the ticker is the message.
            guard let data = json["data"] ?? (json["e"] == nil ? nil : json) else {
                return json["id"] == nil ? .other : .accepted
            }
            let stream = json["stream"]?.string
            switch data["e"]?.string {
            case "serverShutdown": return .reconnect
            case "24hrMiniTicker":
                guard let market = data["s"]?.string else { return unreadable(stream) }
                if let stream, stream != streamName(market) {
                    return .unreadable(market: market, reason: "a message of the stream \(stream)")
                }
                return price(
                    "/c", as: .string, in: data, of: market, sequence: data["E"]?.number.flatMap(Int.init),
                    time: TimeField("/E", in: .milliseconds))
            default: return stream?.hasSuffix(streamSuffix) == true ? unreadable(stream) : .other
            }
        },
        lifetime: .seconds(23 * 60 * 60))
}

private func streamName(_ market: String) -> String {
    market.lowercased() + streamSuffix
}

/// A ticker that does not have the market of its stream.
private func unreadable(_ stream: String?) -> PushSource.Message {
    let market = stream.flatMap { $0.hasSuffix(streamSuffix) ? $0.dropLast(streamSuffix.count) : nil }
    return .unreadable(
        market: market?.uppercased(), reason: "a message of the stream \(stream ?? "that is not named")")
}

private let streamSuffix = "@miniTicker"
/// The id of requests to end a subscription.
private let unsubscription = "2"
