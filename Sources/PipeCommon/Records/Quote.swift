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

    public init(_ members: inout Members) throws(InvalidInput) {
        price = try required(members.text("value", "a price"), "value")
        currency = try required(members.text("currency", "a currency"), "currency")
        timestamp = try required(members.text("timestamp", "a UTC time with 3 decimals"), "timestamp")
    }

    public func addMembers(to object: inout ByteBuffer) {
        object.add("value", price.digits)
        object.add("currency", currency)
        object.add("timestamp", timestamp)
    }
}
