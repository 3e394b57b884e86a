import PipeCommon

/// A price whose digits encode its exchange, its symbol and a number that identifies its origin, for example
/// a request, a message or a tick. Two check digits after the decimal point reveal a price that was truncated
/// or spliced.
public struct TracedPrice: Hashable, Sendable {
    public let exchange: Int
    public let symbol: Int
    public let request: Int

    /// - Parameters:
    ///   - exchange: 1 to 9.
    ///   - symbol: 0 to 99.
    ///   - request: below ten million.
    public init(exchange: Int, symbol: Int, request: Int) {
        (self.exchange, self.symbol, self.request) = (exchange, symbol, request)
    }

    /// - Returns: nil if the text is not a traced price with correct check digits.
    public init?(_ text: String) {
        guard let digits = text.split(separator: ".").first.flatMap({ Int($0) }) else { return nil }
        self.init(
            exchange: digits / 1_000_000_000, symbol: digits / 10_000_000 % 100, request: digits % 10_000_000)
        guard self.text == text else { return nil }
    }

    public var text: String {
        "\(digits).\(digits % 89 + 10)"
    }

    private var digits: Int { (exchange * 100 + symbol) * 10_000_000 + request }
}

/// The known facts about a price that a source has sent.
public struct PriceOrigin: Sendable {
    public let source: String
    public let symbol: Symbol
    /// The time of the latest tick that the price may answer; nil if the price must not answer any tick.
    public let latest: Timestamp?
    /// The number of the only tick that the price may answer; nil if that number is not known.
    public let tick: Int?
    /// Whether the price may answer only one tick, because it was sent in response to a request.
    public let isOnce: Bool
    /// How the price was sent, for failure messages.
    public let manner: Manner?
    /// Whether the price may have been sent unsolicited while a request was already on its way. A client
    /// cannot tell such a price from the answer to the request, so `latest` and `isOnce` do not apply to it.
    public internal(set) var hasCrossedRequest = false

    public init(
        source: String, symbol: Symbol, latest: Timestamp?, tick: Int? = nil, isOnce: Bool = true,
        manner: Manner? = nil
    ) {
        (self.source, self.symbol, self.latest, self.tick) = (source, symbol, latest, tick)
        (self.isOnce, self.manner) = (isOnce, manner)
    }
}

/// Checks that a reading's new price was sent by the reading's source, for the reading's symbol and tick.
public struct PriceCheck {
    private let origin: (TracedPrice) -> PriceOrigin?
    private var used: [TracedPrice: Int] = [:]

    /// - Parameter origin: returns the known facts about a price, or nil if no source has sent the price.
    public init(_ origin: @escaping (TracedPrice) -> PriceOrigin?) {
        self.origin = origin
    }

    /// The known facts about a price; nil if no source has sent the price.
    public func origin(of price: Price) -> PriceOrigin? {
        TracedPrice(price.text).flatMap(origin)
    }

    /// Returns a description of the fault in a reading's new price, or nil if the price is correct.
    public mutating func fault(of reading: Reading) -> String? {
        guard let price = reading.quote.flatMap({ TracedPrice($0.price.text) }), let origin = origin(price)
        else {
            return "a price that no source has sent"
        }
        if origin.source != reading.source { return "a price of another source" }
        let manner = origin.manner.map { " (\($0))" } ?? ""
        if origin.symbol != reading.pricedSymbol { return "a price of another symbol" + manner }
        if let tick = origin.tick, tick != reading.tick { return "a price of tick \(tick)" }
        if origin.hasCrossedRequest { return nil }
        guard let latest = origin.latest else { return "a price that answers no request" + manner }
        if let at = reading.at, latest < at { return "a price of an earlier tick" + manner }
        if origin.isOnce, used.updateValue(reading.tick ?? -1, forKey: price) != nil {
            return "a price that has answered another tick" + manner
        }
        return nil
    }
}
