import Foundation
import PipeCommon

extension Source {
    /// Any address that answers with JSON, and the place of the price in it. The answer names no pair, so it
    /// is taken for whatever symbol was asked for; a symbol without a currency is priced in US dollars.
    static func custom(name: String, url: URL, price pointer: JSONPointer) -> Source {
        Source(
            name: name,
            request: { _ throws(InvalidInput) in HTTPRequest(url: url) },
            price: { answer, symbol throws(InvalidInput) in
                (try answer.price(pointer, as: .either), symbol.currency)
            })
    }
}
