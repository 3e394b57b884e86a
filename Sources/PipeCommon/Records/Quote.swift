/// A price with its currency and the time at which we received it:
/// `{"value":"68901.23","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z","market":"BTCUSDT"}`.
public struct Quote: Record, Hashable {
    public let price: Price
    public let currency: Currency
    public let timestamp: Timestamp
    /// The source's own name for what it priced, if it has one.
    public let market: InlineText?

    public init(price: Price, currency: Currency, timestamp: Timestamp, market: InlineText? = nil) {
        self.price = price
        self.currency = currency
        self.timestamp = timestamp
        self.market = market
    }

    public init(_ json: inout JSONReader) throws(InvalidInput) {
        var (price, currency, timestamp): (Price?, Currency?, Timestamp?) = (nil, nil, nil)
        var market: InlineText?
        try json.object { (name, json) throws(InvalidInput) in
            switch name {
            case "value": price = try json.value("a price", rule: "must be a string")
            case "currency": currency = try json.value("a currency code")
            case "timestamp": timestamp = try json.value("a UTC time with 3 decimals")
            case "market": market = try json.value("a name of 1 to 32 characters")
            default: break
            }
        }
        self.price = try required(price, "value")
        self.currency = try required(currency, "currency")
        self.timestamp = try required(timestamp, "timestamp")
        self.market = market
    }

    public func addMembers(to object: inout ByteBuffer) {
        object.add("value", price)
        object.add("currency", currency)
        object.add("timestamp", timestamp)
        object.add("market", market)
    }
}

/// A currency code: 3 to 5 capital letters and digits, starting with a letter: `USD`, `USDT`.
public struct Currency: TextValue {
    public static let usDollar = Currency("USD")!

    /// The first letter in the lowest byte.
    private let letters: UInt64

    public init?(_ text: InlineText) {
        guard (3...5).contains(text.count), UInt8.isCapital(text[0]),
            text.allSatisfy(UInt8.isCapitalOrDigit)
        else { return nil }
        letters = text.words.first
    }

    public var utf8: InlineText {
        InlineText(word: letters, count: 8 - letters.leadingZeroBitCount / 8)
    }

    public var code: String { text }
}
