import PipeCommon

/// An exchange's push feed: where it is, what to send to it, and how to read its messages.
struct PushSource: Sendable {
    /// What a message of the feed says.
    enum Message: Equatable {
        /// - Parameter sequence: the exchange's own order of its messages, where it has one.
        case price(Price, market: String, sequence: Int?)
        /// The tickers of one message.
        case several([Message])
        /// There is a new price of a market, but it cannot be read.
        case unreadable(market: String, reason: String)
        /// The last request was accepted.
        case accepted
        /// The last request was refused, in words that may name the market.
        case refused(String)
        /// The exchange asks us to connect again.
        case reconnect
        /// Heartbeats, and whatever else the feed may have to say.
        case other
    }

    let name: String
    let address: WebSocketAddress
    /// The exchange's name of a pair, as its messages have it.
    let market: @Sendable (TradingPair) -> String
    let subscribe: @Sendable ([String]) -> String
    let unsubscribe: @Sendable ([String]) -> String
    let message: @Sendable (JSON) -> Message
    /// The most markets in one request.
    var largestBatch = Int.max
    /// How old a connection may become.
    var lifetime: Duration?

    static let all = [binance, coinbase, kraken, bitstamp]

    /// The price of a market at a place in its ticker.
    static func price(
        _ place: JSONPointer, as form: JSON.PriceForm, in ticker: JSON, of market: String,
        sequence: Int? = nil
    ) -> Message {
        do throws(InvalidInput) {
            return .price(try ticker.price(place, as: form), market: market, sequence: sequence)
        } catch {
            return .unreadable(market: market, reason: error.reason)
        }
    }

    /// Quoted names, separated by commas.
    static func list(_ markets: [String]) -> String {
        markets.map { "\"\($0)\"" }.joined(separator: ",")
    }
}
