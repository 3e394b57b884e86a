import PipeCommon

/// The newest price in a stream of messages, and how old it may be. Pure.
struct StreamedPrice {
    private let pointer: JSONPointer
    let maxAge: Duration
    private var newest: (price: Price, timestamp: Timestamp, at: Deadline.Instant)?

    init(at pointer: JSONPointer, maxAge: Duration) {
        self.pointer = pointer
        self.maxAge = maxAge
    }

    /// Takes the last price in some messages; messages without one are ignored.
    ///
    /// - Returns: whether there was one.
    mutating func receive(_ messages: [[UInt8]], received: Timestamp, at now: Deadline.Instant) -> Bool {
        for message in messages.reversed() {
            guard let price = try? JSON(parsing: message).price(pointer, as: .either) else { continue }
            newest = (price, received, now)
            return true
        }
        return false
    }

    /// - Returns: nil when there is none, or when it is as old as the limit or older.
    func quote(in currency: Currency, at now: Deadline.Instant) -> Quote? {
        guard let newest, now - newest.at < maxAge else { return nil }
        return Quote(price: newest.price, currency: currency, timestamp: newest.timestamp)
    }
}
