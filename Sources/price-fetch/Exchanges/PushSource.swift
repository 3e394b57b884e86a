import PipeCommon

/// An exchange's push feed: its address, the requests to send, and how to read its messages.
struct PushSource: Sendable {
    /// The content of a message from the feed.
    enum Message: Equatable {
        /// - Parameters:
        ///   - sequence: a number that must not decrease from one message about the market to the next on the same
        ///     connection, such as the exchange's sequence number or a time in the message; nil if no such number is
        ///     known.
        ///   - time: the time of the price or of the message, according to the exchange.
        case price(Price, market: String, sequence: Int? = nil, time: Timestamp)
        /// Any number of tickers in one message.
        case several([Message])
        /// A message that may contain a new price but cannot be used; the market is nil if it is not known.
        case unreadable(market: String?, reason: String)
        /// A message by which the exchange shows that the feed is alive.
        case heartbeat
        /// The last request was accepted. If a market is given, the message accepts only that market; the exchange
        /// answers separately for the other markets in the request.
        case accepted(market: String? = nil)
        /// All the markets to which, according to the exchange, we are now subscribed. If a request was waiting for an
        /// answer, the request was accepted.
        case subscribed([String])
        /// The subscription to a market has ended.
        case ended(market: String)
        /// A request was rejected. The text, which may name the market, is nil if the exchange does not state a reason.
        case refused(String?)
        /// No market is trading, so no price is current. The text is the reason.
        case halted(String)
        /// The exchange asks us to reconnect, or announces that it will close the connection.
        case reconnect
        /// A message that is ignored.
        case other
    }

    /// How to request heartbeats from a feed that sends them only on request.
    struct Heartbeat {
        let request: String
        /// The answer to the request if that answer is not JSON; otherwise nil.
        var answer: String?
        /// How often to send the request while the feed sends prices; nil to send it only while the feed is silent.
        var interval: Duration?
    }

    /// The two kinds of subscription requests to a feed. The raw values are the words that most exchanges use.
    enum Verb: String {
        case subscribe, unsubscribe
    }

    let address: WebSocketAddress
    /// The feed's name for a market.
    var name: @Sendable (Market) -> String = { $0.name }
    /// The message that subscribes to markets or unsubscribes from them.
    let request: @Sendable (Verb, [String]) -> String
    let message: @Sendable (JSON) -> Message
    /// The maximum age of a price when it arrives, judged by the time that the exchange states.
    var oldestPrice = PriceAge.usual
    /// How to request heartbeats; nil if the feed sends heartbeats without a separate request or not at all.
    var heartbeat: Heartbeat?
    /// The maximum number of markets in one request.
    var largestBatch = Int.max
    /// Whether each market must be requested in a separate message, which the exchange answers separately.
    var needsOwnMessages = false
    /// The maximum age of a connection; nil for no limit.
    var lifetime: Duration?

    /// Reads a market's price from the given place in a message or in a part of a message, such as a ticker.
    ///
    /// - Parameter time: where `ticker` contains the time of the price or of the message.
    /// - Returns: `.unreadable` if the price or the time is missing or not valid.
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

    /// The names in quotation marks, separated by commas.
    static func list(_ markets: [String]) -> String {
        markets.map { "\"\($0)\"" }.joined(separator: ",")
    }
}
