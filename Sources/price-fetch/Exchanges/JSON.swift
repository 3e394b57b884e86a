import PipeCommon

/// A JSON value as a tree. Numbers stay as they were written, digit by digit, so that a price never becomes a binary
/// floating-point number.
indirect enum JSON {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSON])
    case object([Member])

    struct Member {
        let name: String
        let value: JSON
    }

    /// - Throws: an error that states the problem and, if known, its position in the text.
    init(parsing text: some Collection<UInt8>) throws(InvalidInput) {
        self = try JSONReader.read(text, Self.init)
    }

    private init(_ json: inout JSONReader) throws(InvalidInput) {
        switch json.kind() {
        case .null:
            try json.skip()
            self = .null
        case .boolean: self = .boolean(try json.boolean())
        case .number: self = .number(try json.number().string)
        case .string: self = .string(try json.string().string)
        case .array:
            var elements: [JSON] = []
            try json.array { (json) throws(InvalidInput) in elements.append(try JSON(&json)) }
            self = .array(elements)
        case .object:
            var members: [Member] = []
            try json.object { (name, json) throws(InvalidInput) in
                members.append(Member(name: name.string, value: try JSON(&json)))
            }
            self = .object(members)
        }
    }

    /// The value of an object's member; nil if this is not an object, or if the member is missing or `null`.
    subscript(name: String) -> JSON? {
        let value = members?.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
        if case .null? = value { return nil }
        return value
    }

    /// The element of an array at an index; nil if this is not an array or the index is out of range.
    subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The elements of an array; nil for other values.
    var elements: [JSON]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object; nil for other values.
    var members: [Member]? {
        if case .object(let members) = self { members } else { nil }
    }

    var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    var number: String? {
        if case .number(let digits) = self { digits } else { nil }
    }
}

/// Where answers usually contain the reason for rejecting a request.
private let places: [JSONPointer] = [
    "/msg", "/error", "/error/0", "/message", "/Message", "/reason", "/errors/0/message", "/Err/message",
]

/// Reads prices, volumes, tickers and error messages from a source's answers and messages.
extension JSON {
    /// The JSON type of a price or volume.
    enum PriceForm {
        case string, number, either
    }

    /// - Throws: an error if the answer contains nothing at this place. A member that is `null` counts as missing.
    func value(at place: JSONPointer) throws(InvalidInput) -> JSON {
        if let value = place.value(in: self) { return value }
        throw InvalidInput("the answer contains no \(place.text)")
    }

    /// - Throws: an error if the answer contains nothing at this place, or if the value there is not a valid price in
    ///   the given form.
    func price(_ place: JSONPointer, as form: PriceForm) throws(InvalidInput) -> Price {
        guard let price = try value(at: place).digits(as: form).flatMap(Price.init(rounding:)) else {
            throw InvalidInput("\(place.text) is not a price")
        }
        return price
    }

    /// - Returns: nil if the answer contains nothing at this place, or if the value there is not a valid volume in the
    ///   given form.
    func volume(_ place: JSONPointer, as form: PriceForm) -> Volume? {
        place.value(in: self)?.digits(as: form).flatMap {
            Volume($0) ?? roundedDecimal($0).flatMap(Volume.init)
        }
    }

    /// The text of a value that should be a number; nil if the value does not have the given JSON type. Also nil for a
    /// string that contains an e or E, because a number in a string must not have an exponent.
    private func digits(as form: PriceForm) -> String? {
        switch self {
        case .number(let digits) where form != .string: digits
        case .string(let text) where form != .number && !text.contains { "eE".contains($0) }: text
        default: nil
        }
    }

    /// The elements of the list at a place, each with the name of its market. Elements without a name are omitted.
    ///
    /// - Parameter name: the member of an element that contains the name of its market.
    /// - Throws: an error if there is no list.
    func tickers(_ place: JSONPointer, name: String) throws(InvalidInput) -> [(name: String, ticker: JSON)] {
        guard let list = place.value(in: self)?.elements else {
            throw InvalidInput("the answer contains no list of tickers")
        }
        return list.compactMap { ticker in ticker[name]?.string.map { ($0, ticker) } }
    }

    /// Checks that a place in the answer contains the expected text, such as the name of the requested market.
    func expect(_ place: JSONPointer, _ expected: String) throws(InvalidInput) {
        guard let value = place.value(in: self)?.string else {
            throw InvalidInput("the answer contains no \(place.text)")
        }
        guard value == expected else { throw InvalidInput("\(place.text) is \(value), not \(expected)") }
    }

    /// The server's own reason for rejecting a request, not yet shortened or made printable; nil if there is none.
    ///
    /// - Parameter place: where to look for the reason; nil for the usual places.
    func words(at place: JSONPointer?) -> String? {
        (place.map { [$0] } ?? places).lazy.compactMap { $0.value(in: self)?.string }.first {
            !$0.isEmpty
        }
    }
}

/// A place in a JSON value, given as a JSON Pointer (RFC 6901) such as `/data/0/last`. In a name, `~1` stands for `/`
/// and `~0` for `~`. The empty text refers to the whole value.
struct JSONPointer: Sendable {
    let text: String
    private let steps: [String]

    init?(_ text: String) {
        guard text.isEmpty || text.hasPrefix("/") else { return nil }
        var steps: [String] = []
        for escaped in text.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            guard let step = Self.unescaped(escaped) else { return nil }
            steps.append(step)
        }
        self.text = text
        self.steps = steps
    }

    func value(in json: JSON) -> JSON? {
        steps.reduce(json) { (place: JSON?, step) in
            switch place {
            case .object?: place?[step]
            case .array?: Self.index(step).flatMap { place?[$0] }
            default: nil
            }
        }
    }

    private static func unescaped(_ step: Substring) -> String? {
        let escapes = step.split(separator: "~", omittingEmptySubsequences: false).dropFirst()
        guard escapes.allSatisfy({ $0.hasPrefix("0") || $0.hasPrefix("1") }) else { return nil }
        return String(step).replacing("~1", with: "/").replacing("~0", with: "~")
    }

    /// The array index that a step denotes; nil unless the step is 0 or a number that does not begin with 0.
    private static func index(_ step: String) -> Int? {
        guard step == "0" || !step.hasPrefix("0"),
            step.utf8.allSatisfy(UInt8.isDigit)
        else { return nil }
        return Int(step)
    }
}

extension JSONPointer: ExpressibleByStringLiteral {
    /// Creates a pointer from a literal, which must be a valid JSON Pointer.
    init(stringLiteral text: String) {
        self.init(text)!
    }
}
