import PipeCommon

extension PriceSource {
    /// Any address that answers with JSON, and the place of the price in it. The price of a symbol without a currency
    /// is in US dollars.
    static func custom(name: String, url: WebAddress, price pointer: JSONPointer) -> PriceSource {
        PriceSource(
            name: name,
            request: { _ throws(InvalidInput) in HTTPRequest(url: url) },
            price: { answer, symbol throws(InvalidInput) in
                (try answer.price(pointer, as: .either), symbol.currency)
            })
    }
}
