import PipeCommon

/// Prices and expected values in the answer of a source.
extension JSON {
    /// How a source writes its price.
    enum PriceForm {
        case string, number, either
    }

    /// - Throws: when there is no price, or when it has another form or grammar.
    func price(_ place: JSONPointer, as form: PriceForm) throws(InvalidInput) -> Price {
        guard let value = place.value(in: self) else { throw InvalidInput("the answer has no \(place.text)") }
        let text = (form == .number ? nil : value.string) ?? (form == .string ? nil : value.number)
        guard let price = text.flatMap(Price.init) else { throw InvalidInput("\(place.text) is not a price") }
        return price
    }

    /// A time since 1970 in whole seconds or milliseconds, as text or as a number; nil if there is none.
    func time(_ place: JSONPointer, inMilliseconds: Bool = false) -> Timestamp? {
        let value = place.value(in: self)
        // In milliseconds a time since 2001 has 13 digits.
        guard let digits = value?.string ?? value?.number, digits.utf8.count <= (inMilliseconds ? 15 : 12),
            digits.utf8.allSatisfy(UInt8.isDigit), let time = Int(digits)
        else { return nil }
        return Timestamp(milliseconds: inMilliseconds ? time : time * 1000)
    }

    /// Checks that the answer is of what was asked for.
    func expect(_ place: JSONPointer, _ expected: String) throws(InvalidInput) {
        guard let value = place.value(in: self)?.string else {
            throw InvalidInput("the answer has no \(place.text)")
        }
        guard value == expected else { throw InvalidInput("\(place.text) is \(value), not \(expected)") }
    }
}
