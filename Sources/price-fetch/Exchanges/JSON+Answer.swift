import PipeCommon

/// Where exchanges put the reason for a refusal.
private let places: [JSONPointer] = [
    "/msg", "/error", "/error/0", "/message", "/Message", "/reason", "/errors/0/message", "/Err/message",
]

/// Reads prices, expected values and refusals from a source's answer.
extension JSON {
    /// The JSON type of a price.
    enum PriceForm {
        case string, number, either
    }

    /// - Throws: an error if there is no price, or if it has another type or syntax.
    func price(_ place: JSONPointer, as form: PriceForm) throws(InvalidInput) -> Price {
        guard let value = place.value(in: self) else { throw InvalidInput("the answer has no \(place.text)") }
        guard let price = value.digits(as: form).flatMap(Price.init(rounding:)) else {
            throw InvalidInput("\(place.text) is not a price")
        }
        return price
    }

    /// - Returns: nil if there is no volume, or if it has another type or syntax.
    func volume(_ place: JSONPointer, as form: PriceForm) -> Volume? {
        place.value(in: self)?.digits(as: form).flatMap {
            Volume($0) ?? roundedDecimal($0).flatMap(Volume.init)
        }
    }

    /// The text of a number. One in a string must not have an exponent.
    private func digits(as form: PriceForm) -> String? {
        switch self {
        case .number(let digits) where form != .string: digits
        case .string(let text) where form != .number && !text.contains { "eE".contains($0) }: text
        default: nil
        }
    }

    /// Checks that the answer is for what was requested.
    func expect(_ place: JSONPointer, _ expected: String) throws(InvalidInput) {
        guard let value = place.value(in: self)?.string else {
            throw InvalidInput("the answer has no \(place.text)")
        }
        guard value == expected else { throw InvalidInput("\(place.text) is \(value), not \(expected)") }
    }

    /// A server's own reason for a refusal: one printable line of at most 100 characters. Nil if it gives
    /// none.
    ///
    /// - Parameter place: where the reason is, if not in one of the usual places.
    func words(at place: JSONPointer?) -> String? {
        let words = (place.map { [$0] } ?? places).lazy.compactMap { $0.value(in: self)?.string }.first {
            !$0.isEmpty
        }
        return words.map { printable($0, atMost: 100) }
    }
}
