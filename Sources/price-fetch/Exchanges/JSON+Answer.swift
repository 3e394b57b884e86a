import PipeCommon

/// Where exchanges write why they refuse.
private let places: [JSONPointer] = [
    "/msg", "/error", "/error/0", "/message", "/Message", "/reason", "/errors/0/message", "/Err/message",
]

/// Prices, expected values and refusals in the answer of a source.
extension JSON {
    /// How a source writes its price.
    enum PriceForm {
        case string, number, either
    }

    /// - Throws: when there is no price, or when it has another form or grammar.
    func price(_ place: JSONPointer, as form: PriceForm) throws(InvalidInput) -> Price {
        guard let value = place.value(in: self) else { throw InvalidInput("the answer has no \(place.text)") }
        let price =
            switch value {
            case .number(let digits) where form != .string: Price(rounding: digits)
            // Text has no exponent.
            case .string(let text) where form != .number && !text.contains { "eE".contains($0) }:
                Price(rounding: text)
            default: nil as Price?
            }
        guard let price else { throw InvalidInput("\(place.text) is not a price") }
        return price
    }

    /// Checks that the answer is of what was asked for.
    func expect(_ place: JSONPointer, _ expected: String) throws(InvalidInput) {
        guard let value = place.value(in: self)?.string else {
            throw InvalidInput("the answer has no \(place.text)")
        }
        guard value == expected else { throw InvalidInput("\(place.text) is \(value), not \(expected)") }
    }

    /// Why a server refuses, in its own words: one printable line of at most 100 characters. Nil without words.
    ///
    /// - Parameter place: where they are, if not in one of the usual places.
    func words(at place: JSONPointer?) -> String? {
        let words = (place.map { [$0] } ?? places).lazy.compactMap { $0.value(in: self)?.string }.first {
            !$0.isEmpty
        }
        return words.map { printable($0, atMost: 100) }
    }
}
