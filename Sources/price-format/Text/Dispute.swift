import PipeCommon

extension Wording {
    /// The prices of the sources that disagree: `binance $27,550.00, coinbase $68,901.23`.
    func dispute(_ failure: Failure, _ currency: Currency) -> String {
        let prices = failure.message.split(separator: ",").map { pair -> String? in
            let words = pair.split(separator: " ")
            guard words.count > 1, let text = words.last, let price = Price(String(text)) else { return nil }
            let quote = Quote(price: price, currency: currency, timestamp: Timestamp(milliseconds: 0))
            return "\(words.dropLast().joined(separator: " ")) \(money.text(quote))"
        }
        let known = prices.compactMap { $0 }
        return known.count == prices.count ? known.joined(separator: ", ") : failure.message
    }

    /// `Sources disagree: …`, with the name of a symbol other than `BTC-USD`; nil if the price is not disputed.
    func dispute(of reading: Reading) -> String? {
        guard reading.isFresh, let quote = reading.quote, let failure = reading.dispute else { return nil }
        let symbol = reading.pricedSymbol
        let name = symbol == .bitcoin ? "" : " on \(symbol.text)"
        return "Sources disagree\(name): \(dispute(failure, quote.currency))"
    }
}

extension Reading {
    /// Whether another source has a very different price. It is the price of this tick all the same.
    var isDisputed: Bool { isFresh && dispute != nil }
}
