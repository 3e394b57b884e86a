/// A price with its currency and the time at which it was true:
/// `{"value":"68901.23","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z","market":"BTCUSDT"}`. The quote of a
/// candle is its close, and may also have its range.
public struct Quote: Record, Hashable {
    public let price: Price
    public let currency: Currency
    /// When the price was received, or when a push feed last confirmed it; for a candle that has ended, its end.
    public let timestamp: Timestamp
    /// The source's own name for what it priced, if it has one.
    public let market: InlineText?
    /// The other prices of the candle, and its volume; nil if none of them is known.
    public var range: CandleRange? { others == CandleRange() ? nil : others }
    private let others: CandleRange

    public init(
        price: Price, currency: Currency, timestamp: Timestamp, market: InlineText? = nil,
        range: CandleRange? = nil
    ) {
        self.price = price
        self.currency = currency
        self.timestamp = timestamp
        self.market = market
        others = range ?? CandleRange()
    }

    public init(_ json: inout JSONReader) throws(InvalidInput) {
        var (price, currency, timestamp): (Price?, Currency?, Timestamp?) = (nil, nil, nil)
        var (market, range): (InlineText?, CandleRange) = (nil, CandleRange())
        try json.object { (name, json) throws(InvalidInput) in
            switch name {
            case "value": price = try json.value("a price", rule: "must be a string")
            case "currency": currency = try json.value("a currency code")
            case "timestamp": timestamp = try json.value("a UTC time with 3 decimals")
            case "market": market = try json.value("a name of 1 to 32 characters")
            case "open": range.open = try json.value("a price")
            case "high": range.high = try json.value("a price")
            case "low": range.low = try json.value("a price")
            case "volume": range.volume = try json.value("a volume")
            default: break
            }
        }
        self.init(
            price: try required(price, "value"), currency: try required(currency, "currency"),
            timestamp: try required(timestamp, "timestamp"), market: market, range: range)
    }

    public func addMembers(to object: inout ByteBuffer) {
        object.add("value", price)
        object.add("currency", currency)
        object.add("timestamp", timestamp)
        object.add("market", market)
        guard let range else { return }
        object.add("open", range.open)
        object.add("high", range.high)
        object.add("low", range.low)
        object.add("volume", range.volume)
    }
}

/// What a source knows of a candle beside its close: its other prices, in the currency of the quote, and the
/// volume that was traded, in units of the base currency.
public struct CandleRange: Hashable, Sendable {
    @Packed public var open: Price?
    @Packed public var high: Price?
    @Packed public var low: Price?
    @Packed public var volume: Volume?

    public init(open: Price? = nil, high: Price? = nil, low: Price? = nil, volume: Volume? = nil) {
        (self.open, self.high, self.low, self.volume) = (open, high, low, volume)
    }
}

/// A decimal number as it was written, or none, in half the room of a text. A quote that would keep its range
/// elsewhere could not be copied as plain bytes, which takes a third of a line's time.
@propertyWrapper public struct Packed<Value: TextValue>: Hashable, Sendable {
    /// The digits as a number, above 5 bits for their count, above 4 bits for how many of them are behind the
    /// point; 0 for no number.
    private var bits: UInt128

    /// - Parameter value: at most 30 digits, with a point before the last 1 to 12 of them or without one.
    public init(wrappedValue value: Value?) {
        bits = value.map { Self.bits(of: $0.utf8) } ?? 0
    }

    public var wrappedValue: Value? {
        get { text.flatMap(Value.init) }
        set { self = Packed(wrappedValue: newValue) }
    }

    private static func bits(of text: InlineText) -> UInt128 {
        var (digits, count, places): (UInt128, UInt128, UInt128?) = (0, 0, nil)
        for byte in text {
            if byte == UInt8(ascii: ".") {
                places = 0
            } else {
                digits = digits * 10 + UInt128(byte & 0x0F)
                count += 1
                places = places.map { $0 + 1 }
            }
        }
        return digits << 9 | count << 4 | (places ?? 0)
    }

    private var text: InlineText? {
        if bits == 0 { return nil }
        let (count, places) = (Int(bits >> 4 & 31), Int(bits & 15))
        var digits = bits >> 9
        var text: [UInt8] = []
        for place in 0..<count {
            if place == places, place > 0 { text.append(UInt8(ascii: ".")) }
            let (rest, digit) = digits.quotientAndRemainder(dividingBy: 10)
            text.append(UInt8(ascii: "0") + UInt8(digit))
            digits = rest
        }
        return InlineText(bytes: String(decoding: text.reversed(), as: UTF8.self))
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
