/// A value that can be written as JSON, without spaces.
public protocol JSONValue {
    func append(to text: inout ByteBuffer)
}

extension ByteBuffer {
    /// Appends a member of an object. A nil value is left out.
    ///
    /// Inlined, because the name is then copied as a constant, which makes price-cache several percent
    /// faster.
    @inline(__always)
    public mutating func add(_ name: StaticString, _ value: (some JSONValue)?) {
        guard let value else { return }
        startMember(name)
        value.append(to: &self)
    }
}

extension Int: JSONValue {
    @inline(__always)
    public func append(to text: inout ByteBuffer) { text.append(self) }
}

extension Bool: JSONValue {
    @inline(__always)
    public func append(to text: inout ByteBuffer) { text.append(self ? "true" : "false" as StaticString) }
}

extension Array: JSONValue where Element: JSONValue {
    public func append(to text: inout ByteBuffer) {
        text.append(UInt8(ascii: "["))
        for (index, element) in enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            element.append(to: &text)
        }
        text.append(UInt8(ascii: "]"))
    }
}

extension String: JSONValue {
    @inline(__always)
    public func append(to text: inout ByteBuffer) { text.append(quoted: self) }
}
