/// A price with its currency, and when we received it:
/// `{"value":"68901.23","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}`.
public struct Quote: Record, Hashable {
    public let price: Price
    public let currency: Currency
    public let timestamp: Timestamp

    public init(price: Price, currency: Currency, timestamp: Timestamp) {
        self.price = price
        self.currency = currency
        self.timestamp = timestamp
    }

    public init(_ json: inout JSONReader) throws(InvalidInput) {
        var (price, currency, timestamp): (Price?, Currency?, Timestamp?) = (nil, nil, nil)
        try json.object { (name, json) throws(InvalidInput) in
            switch name {
            case "value": price = try json.value("a price")
            case "currency": currency = try json.value("a three-letter code")
            case "timestamp": timestamp = try json.value("a UTC time with 3 decimals")
            default: break
            }
        }
        self.price = try required(price, "value")
        self.currency = try required(currency, "currency")
        self.timestamp = try required(timestamp, "timestamp")
    }

    public func addMembers(to object: inout ByteBuffer) {
        object.add("value", price.digits)
        object.add("currency", currency)
        object.add("timestamp", timestamp)
    }
}
