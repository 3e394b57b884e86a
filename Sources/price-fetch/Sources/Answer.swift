import PipeCommon

/// A source's answer, and what is asked of it.
extension JSON {
    /// How a source writes its price.
    enum PriceForm {
        case string, number, either
    }

    /// - Throws: where there is no price, or one of another form or grammar.
    func price(_ place: JSONPointer, as form: PriceForm) throws(Refusal) -> Price {
        guard let value = place.value(in: self) else { throw Refusal("the answer has no \(place.text)") }
        let text = (form == .number ? nil : value.string) ?? (form == .string ? nil : value.number)
        guard let price = text.flatMap(Price.init) else { throw Refusal("\(place.text) is not a price") }
        return price
    }

    /// Holds the answer to what was asked for.
    func expect(_ place: JSONPointer, _ expected: String) throws(Refusal) {
        guard let value = place.value(in: self)?.string else {
            throw Refusal("the answer has no \(place.text)")
        }
        guard value == expected else { throw Refusal("\(place.text) is \(value), not \(expected)") }
    }
}
