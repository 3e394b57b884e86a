/// A price with its currency and the time at which it was current:
/// `{"value":"68901.23","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z","market":"BTCUSDT"}`. For a candle, the
/// price is the close, and the quote may also contain the candle's other prices and its volume. The price is the amount
/// of `currency` for one unit of the priced asset, for example for one bitcoin.
///
/// The symbol and the source are not part of a quote: they are in the reading that contains it.
public struct Quote: Record, Hashable {
    /// A quote without its range.
    struct Core: Hashable, Sendable {
        let price: Price
        let currency: Currency
        let timestamp: Timestamp
        let market: InlineText?
    }

    let core: Core
    /// Contains at most one range. This is an array instead of an optional, so that a quote without a range is small
    /// and quick to copy.
    let ranges: [CandleRange]

    public var price: Price { core.price }
    /// The currency of all prices of this quote. If price-fetch uses an exchange's USDT market for a pair in USD, this
    /// is USD.
    public var currency: Currency { core.currency }
    /// The time at which the price was current. For a current price, price-fetch uses the time, by its own machine's
    /// clock, at which it received the price or a push feed last confirmed the price. For a closed candle, the time is
    /// the candle's end; for any other candle, it is not later than the candle's end.
    public var timestamp: Timestamp { core.timestamp }
    /// The source's own name for the market, such as `BTCUSDT`: 1 to 32 visible ASCII characters that need no escape in
    /// JSON; nil if the source does not report a name.
    public var market: InlineText? { core.market }
    /// The candle's other prices and its volume; nil if none of these values is known.
    public var range: CandleRange? { ranges.first }

    public init(
        price: Price, currency: Currency, timestamp: Timestamp, market: InlineText? = nil,
        range: CandleRange? = nil
    ) {
        core = Core(price: price, currency: currency, timestamp: timestamp, market: market)
        ranges = range.map { $0 == CandleRange() ? [] : [$0] } ?? []
    }

    init(_ core: Core, _ ranges: [CandleRange]) {
        (self.core, self.ranges) = (core, ranges)
    }

    /// Reads a quote. Unknown members are skipped.
    ///
    /// - Throws: `InvalidInput` if the value is not a valid object, if a known member is invalid, or if the price, the
    ///   currency or the time is missing. In the last two cases, the reason names the member.
    public init(_ json: inout JSONReader) throws(InvalidInput) {
        var (price, currency, timestamp): (Price?, Currency?, Timestamp?) = (nil, nil, nil)
        var (market, ranges): (InlineText?, [CandleRange]) = (nil, [])
        try json.object { (name, json) throws(InvalidInput) in
            switch name {
            case "value": price = try json.value("a price", rule: "must be a string")
            case "currency": currency = try json.value("a currency code")
            case "timestamp": timestamp = try json.value("a UTC time such as 2026-11-21T14:03:07.000Z")
            case "market": market = try json.value("a name of 1 to 32 characters")
            default:
                var range = ranges.first ?? CandleRange()
                if try range.readMember(name, &json) { ranges = [range] }
            }
        }
        core = Core(
            price: try required(price, "value"), currency: try required(currency, "currency"),
            timestamp: try required(timestamp, "timestamp"), market: market)
        self.ranges = ranges
    }

    public func addMembers(to object: inout ByteBuffer) {
        object.add("value", price)
        object.add("currency", currency)
        object.add("timestamp", timestamp)
        object.add("market", market)
        for range in ranges { range.addMembers(to: &object) }
    }
}

/// The values of a candle other than its close: the other prices, in the currency of the quote, and the traded volume,
/// in units of the base currency. Each value is nil if it is not known.
public struct CandleRange: Hashable, Sendable {
    public var open: Price?
    public var high: Price?
    public var low: Price?
    public var volume: Volume?

    public init(open: Price? = nil, high: Price? = nil, low: Price? = nil, volume: Volume? = nil) {
        (self.open, self.high, self.low, self.volume) = (open, high, low, volume)
    }

    /// - Returns: whether `name` is a member of the range and the range now contains at least one value.
    @inline(never)
    fileprivate mutating func readMember(_ name: JSONText, _ json: inout JSONReader) throws(InvalidInput)
        -> Bool
    {
        switch name {
        case "open": open = try json.value("a price")
        case "high": high = try json.value("a price")
        case "low": low = try json.value("a price")
        case "volume": volume = try json.value("a volume")
        default: return false
        }
        return self != CandleRange()
    }

    fileprivate func addMembers(to object: inout ByteBuffer) {
        object.add("open", open)
        object.add("high", high)
        object.add("low", low)
        object.add("volume", volume)
    }
}

/// A currency code such as `USD` or `USDT`: 3 to 5 capital letters and digits, starting with a letter.
public struct Currency: TextValue {
    public static let usDollar = Currency("USD")!

    /// The characters as bytes, the first character in the lowest byte.
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
