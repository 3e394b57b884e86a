import PipeCommon
import TestSupport

/// Checks that a price that is shown was sent by that exchange for that symbol in that tick.
struct OriginCheck {
    /// What is known of a price that an exchange has sent.
    typealias Origin = (TracedPrice) -> (source: String, sent: MisbehavingExchange.Sent)?

    let origin: Origin
    private var used: [TracedPrice: Int] = [:]
    private var last: [Symbol: Quote] = [:]
    /// How many readings had a new quote.
    private(set) var quotes = 0
    /// What was wrong, in words.
    private(set) var faults: [String] = []

    init(_ origin: @escaping Origin) {
        self.origin = origin
    }

    mutating func check(_ reading: Reading) {
        let symbol = reading.pricedSymbol
        if reading.isFresh, let quote = reading.quote {
            quotes += 1
            if let fault = fault(of: reading, quote) { faults.append("\(fault): \(reading.text)") }
            last[symbol] = quote
        } else if reading.quote != last[symbol] {
            faults.append("not the last quote of the symbol: \(reading.text)")
        }
    }

    private mutating func fault(of reading: Reading, _ quote: Quote) -> String? {
        guard let price = TracedPrice(quote.price.text), let origin = origin(price) else {
            return "a price that no exchange has sent"
        }
        if origin.source != reading.source { return "a price of another source" }
        if origin.sent.symbol != reading.pricedSymbol {
            return "a price of another symbol (\(origin.sent.manner))"
        }
        if origin.sent.hasCrossedRequest { return nil }
        guard let askedAt = origin.sent.askedAt else {
            return "a price that answers no request (\(origin.sent.manner))"
        }
        // Both clocks count whole milliseconds.
        if let at = reading.at, askedAt + .milliseconds(1) < at {
            return "a price of an earlier tick (\(origin.sent.manner))"
        }
        if let tick = used.updateValue(reading.tick ?? -1, forKey: price) {
            return "a price of tick \(tick) (\(origin.sent.manner))"
        }
        return nil
    }
}
