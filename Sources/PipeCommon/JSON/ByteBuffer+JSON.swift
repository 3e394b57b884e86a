/// Compact JSON: appends the members of an object, in the order in which they are added. A nil member is left out.
///
/// Most of this is inlined, because a name is then copied as a constant: that makes price-cache several percent faster.
extension ByteBuffer {
    @inline(__always)
    public mutating func add(_ name: StaticString, _ text: String?) {
        guard var text else { return }
        addQuoted(name) { object in
            text.withUTF8 { text in
                if text.allSatisfy(isPlain) { return object.append(text) }
                for byte in text { object.appendEscaped(byte) }
            }
        }
    }

    /// Adds text that needs no escapes.
    @inline(__always)
    mutating func add(_ name: StaticString, _ text: InlineText?) {
        guard let text else { return }
        addQuoted(name) { object in text.withBytes { object.append($0) } }
    }

    @inline(__always)
    mutating func add(_ name: StaticString, _ currency: Currency) {
        addQuoted(name) { currency.append(to: &$0) }
    }

    @inline(__always)
    public mutating func add(_ name: StaticString, _ time: Timestamp?) {
        guard let time else { return }
        addQuoted(name) { $0.append(time) }
    }

    @inline(__always)
    public mutating func add(_ name: StaticString, _ number: Int?) {
        guard let number else { return }
        start(name)
        append(number)
    }

    @inline(__always)
    public mutating func add(_ name: StaticString, _ flag: Bool?) {
        guard let flag else { return }
        start(name)
        append(flag ? "true" : "false" as StaticString)
    }

    @inline(__always)
    public mutating func add(_ name: StaticString, _ record: (some Record)?) {
        guard let record else { return }
        start(name)
        record.append(to: &self)
    }

    public mutating func add(_ name: StaticString, _ records: [some Record]) {
        start(name)
        append(UInt8(ascii: "["))
        for (index, record) in records.enumerated() {
            if index > 0 { append(UInt8(ascii: ",")) }
            record.append(to: &self)
        }
        append(UInt8(ascii: "]"))
    }

    @inline(__always)
    private mutating func addQuoted(_ name: StaticString, _ text: (inout ByteBuffer) -> Void) {
        start(name)
        append(UInt8(ascii: "\""))
        text(&self)
        append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private mutating func start(_ name: StaticString) {
        if !ends(with: UInt8(ascii: "{")) { append(UInt8(ascii: ",")) }
        let count = name.utf8CodeUnitCount
        fill(count + 3) { place in
            place[0] = UInt8(ascii: "\"")
            (place + 1).update(from: name.utf8Start, count: count)
            place[count + 1] = UInt8(ascii: "\"")
            place[count + 2] = UInt8(ascii: ":")
        }
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"" as StaticString)
        case UInt8(ascii: "\\"): append("\\\\" as StaticString)
        case ..<0x20: append("\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))")
        default: append(byte)
        }
    }
}

/// Whether a byte of a string stands for itself.
private func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}
