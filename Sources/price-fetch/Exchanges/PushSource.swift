import PipeCommon

/// An exchange's push feed: where it is, what to send to it, and how to read its messages.
struct PushSource: Sendable {
    /// What a message of the feed says.
    enum Message: Equatable {
        /// - Parameters:
        ///   - sequence: the exchange's own order of its messages, where it has one.
        ///   - time: when the price was made, where the exchange says so.
        case price(Price, market: String, sequence: Int? = nil, time: Timestamp? = nil)
        /// The tickers of one message.
        case several([Message])
        /// There is a new price of a market, or of one that is not named, but it cannot be read.
        case unreadable(market: String?, reason: String)
        /// The exchange's own sign that the feed lives.
        case heartbeat
        /// The last request was accepted.
        case accepted
        /// The last request was accepted, and these are all markets that are subscribed now.
        case subscribed([String])
        /// The subscription of a market has ended.
        case ended(market: String)
        /// The last request was refused, in words that may name the market.
        case refused(String)
        /// No market trades, so no price is one of now; why.
        case halted(String)
        /// The exchange asks us to connect again.
        case reconnect
        /// Whatever else the feed may have to say.
        case other
    }

    let name: String
    let address: WebSocketAddress
    /// The exchange's name of a pair, as its messages have it.
    let market: @Sendable (TradingPair) -> String
    /// The message that subscribes to markets, or ends that.
    let request: @Sendable (Subscriptions.Verb, [String]) -> String
    let message: @Sendable (JSON) -> Message
    /// How old a price may be when it arrives, by the exchange's own account of it.
    var oldestPrice = PriceAge.usual
    /// What to send to be sent a heartbeat; nil if that comes by itself, or not at all.
    var heartbeatRequest: String?
    /// The most markets in one request.
    var largestBatch = Int.max
    /// How old a connection may become.
    var lifetime: Duration?

    static let all = [binance, coinbase, kraken, bitstamp]

    /// The pair that a symbol is there: the same as where the exchange is polled.
    func pair(of symbol: Symbol) throws(InvalidInput) -> TradingPair {
        guard let exchange = PriceSource.all.first(where: { $0.name == name }) else {
            return try TradingPair(symbol)
        }
        return try exchange.pair(symbol)
    }

    /// The price of a market at a place in its ticker.
    ///
    /// - Parameter time: where the ticker says when the price was made; one without it is accepted.
    static func price(
        _ place: JSONPointer, as form: JSON.PriceForm, in ticker: JSON, of market: String,
        sequence: Int? = nil, time field: TimeField? = nil
    ) -> Message {
        do throws(InvalidInput) {
            let price = try ticker.price(place, as: form)
            let hasTime = field?.place.value(in: ticker) != nil
            let time = hasTime ? try field?.time(in: ticker) : nil
            return .price(price, market: market, sequence: sequence, time: time)
        } catch {
            return .unreadable(market: market, reason: error.reason)
        }
    }

    /// Quoted names, separated by commas.
    static func list(_ markets: [String]) -> String {
        markets.map { "\"\($0)\"" }.joined(separator: ",")
    }
}
