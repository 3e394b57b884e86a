/// One compact JSON object, with its members in the order in which they are added.
public struct JSONObjectText {
    private var body: [UInt8] = []

    public init() {}

    public var bytes: [UInt8] {
        [UInt8(ascii: "{")] + body + [UInt8(ascii: "}")]
    }

    public mutating func add(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        start(name)
        body.append(UInt8(ascii: "\""))
        for scalar in text.unicodeScalars { append(scalar) }
        body.append(UInt8(ascii: "\""))
    }

    public mutating func add(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        start(name)
        body.append(contentsOf: String(number).utf8)
    }

    public mutating func add(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        start(name)
        body.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    public mutating func add(_ name: StaticString, _ object: JSONObjectText?) {
        guard let object else { return }
        start(name)
        body.append(contentsOf: object.bytes)
    }

    public mutating func add(_ name: StaticString, _ objects: [JSONObjectText]) {
        start(name)
        body.append(UInt8(ascii: "["))
        body.append(contentsOf: objects.map(\.bytes).joined(separator: [UInt8(ascii: ",")]))
        body.append(UInt8(ascii: "]"))
    }

    private mutating func start(_ name: StaticString) {
        if !body.isEmpty { body.append(UInt8(ascii: ",")) }
        body.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { body.append(contentsOf: $0) }
        body.append(contentsOf: "\":".utf8)
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\"": body.append(contentsOf: "\\\"".utf8)
        case "\\": body.append(contentsOf: "\\\\".utf8)
        case _ where scalar.value < 0x20:
            let digits = String(scalar.value, radix: 16)
            body.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
        default: body.append(contentsOf: UTF8.encode(scalar)!)
        }
    }
}
