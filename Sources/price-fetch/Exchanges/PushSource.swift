import PipeCommon

/// An exchange's push feed: where it is, what to send to it, and how to read its messages.
struct PushSource: Sendable {
    /// What a message of the feed says.
    enum Message: Equatable {
        /// - Parameters:
        ///   - sequence: the exchange's own order of its messages, where it has one.
        ///   - time: when the price was made, by the exchange's own account.
        case price(Price, market: String, sequence: Int? = nil, time: Timestamp)
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

    /// What to send to be sent a heartbeat, for a feed that sends none by itself.
    struct Heartbeat {
        let request: String
        /// The answer, if it is not JSON.
        var answer: String?
        /// How often the exchange wants to be asked, even while it sends prices.
        var interval: Duration?
    }

    let address: WebSocketAddress
    /// The exchange's name of a pair, if it is another one than where the exchange is polled.
    var market: (@Sendable (TradingPair) -> String)?
    /// The message that subscribes to markets, or ends that.
    let request: @Sendable (Subscriptions.Verb, [String]) -> String
    let message: @Sendable (JSON) -> Message
    /// How old a price may be when it arrives, by the exchange's own account of it.
    var oldestPrice = PriceAge.usual
    /// Nil if it comes by itself, or not at all.
    var heartbeat: Heartbeat?
    /// The most markets in one request.
    var largestBatch = Int.max
    /// How old a connection may become.
    var lifetime: Duration?

    /// The price of a market at a place in its ticker.
    ///
    /// - Parameter time: where the ticker says when the price was made; without it the price cannot be read.
    static func price(
        _ place: JSONPointer, as form: JSON.PriceForm, in ticker: JSON, of market: String,
        sequence: Int? = nil, time: TimeField
    ) -> Message {
        do throws(InvalidInput) {
            let price = try ticker.price(place, as: form)
            return .price(price, market: market, sequence: sequence, time: try time.time(in: ticker))
        } catch {
            return .unreadable(market: market, reason: error.reason)
        }
    }

    /// Quoted names, separated by commas.
    static func list(_ markets: [String]) -> String {
        markets.map { "\"\($0)\"" }.joined(separator: ",")
    }
}
