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
    let subscribe: @Sendable ([String]) -> String
    let unsubscribe: @Sendable ([String]) -> String
    let message: @Sendable (JSON) -> Message
    /// How old a price may be when it arrives, by the exchange's own account of it.
    var oldestPrice = Duration.seconds(60)
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

    /// How an exchange writes a time.
    enum TimeForm {
        /// Since 1970.
        case milliseconds, microseconds
        /// `2023-03-04T03:37:20.799258Z`, with any number of decimals.
        case text
    }

    /// The price of a market at a place in its ticker.
    ///
    /// - Parameter time: where and how the ticker says when the price was made.
    static func price(
        _ place: JSONPointer, as form: JSON.PriceForm, in ticker: JSON, of market: String,
        sequence: Int? = nil, time: (place: JSONPointer, form: TimeForm)? = nil
    ) -> Message {
        do throws(InvalidInput) {
            let price = try ticker.price(place, as: form)
            let time = try time.flatMap { (time) throws(InvalidInput) in
                try ticker.pushedTime(time.place, time.form)
            }
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

extension JSON {
    /// - Returns: nil when there is no time.
    /// - Throws: when it has another form.
    fileprivate func pushedTime(
        _ place: JSONPointer, _ form: PushSource.TimeForm
    ) throws(InvalidInput) -> Timestamp? {
        guard let value = place.value(in: self) else { return nil }
        let text = value.string ?? value.number ?? ""
        let number = text.utf8.count <= 18 && text.utf8.allSatisfy(UInt8.isDigit) ? Int(text) : nil
        let time: Timestamp? =
            switch form {
            case .milliseconds: number.map { Timestamp(milliseconds: $0) }
            case .microseconds: number.map { Timestamp(milliseconds: $0 / 1000) }
            case .text: Timestamp(toMilliseconds: text)
            }
        guard let time else { throw InvalidInput("\(place.text) is not a time") }
        return time
    }
}

extension Timestamp {
    /// A time with any number of decimals, cut to milliseconds.
    fileprivate init?(toMilliseconds text: String) {
        let parts = text.split(separator: ".", maxSplits: 1)
        guard text.hasSuffix("Z"), let whole = parts.first?.prefix(while: { $0 != "Z" }) else { return nil }
        let decimals = parts.count == 2 ? parts[1].dropLast() : ""
        guard decimals.utf8.allSatisfy(UInt8.isDigit) else { return nil }
        self.init("\(whole).\((decimals + "000").prefix(3))Z")
    }
}
