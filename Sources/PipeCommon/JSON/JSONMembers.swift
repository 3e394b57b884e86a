/// Compact JSON: the members of an object, in the order in which they are added.
///
/// Inlined, since a name that is known where it stands is copied in one step.
extension ByteBuffer {
    @inline(__always)
    public mutating func add(_ name: StaticString, _ text: String?) {
        guard var text else { return }
        addQuoted(name) { object in
            text.withUTF8 { text in
                if !object.appendPlain(text) { for byte in text { object.appendEscaped(byte) } }
            }
        }
    }

    /// Text that needs no escapes.
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

    @inline(__always)
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
        let isFirst = ends(with: UInt8(ascii: "{"))
        let length = name.utf8CodeUnitCount
        fill(length + (isFirst ? 3 : 4)) { place in
            var place = place
            if !isFirst {
                place.pointee = UInt8(ascii: ",")
                place += 1
            }
            place[0] = UInt8(ascii: "\"")
            (place + 1).update(from: name.utf8Start, count: length)
            place[length + 1] = UInt8(ascii: "\"")
            place[length + 2] = UInt8(ascii: ":")
        }
    }

    /// - Returns: false, with nothing appended, where a byte needs an escape.
    private mutating func appendPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        let before = count
        var isPlain = true
        fill(text.count) { place in
            for (index, byte) in text.enumerated() {
                place[index] = byte
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { isPlain = false }
            }
        }
        if !isPlain { cut(to: before) }
        return isPlain
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append("\\\"" as StaticString)
        case UInt8(ascii: "\\"): append("\\\\" as StaticString)
        case ..<0x20:
            let digits = String(byte, radix: 16)
            append("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)")
        default: append(byte)
        }
    }
}
