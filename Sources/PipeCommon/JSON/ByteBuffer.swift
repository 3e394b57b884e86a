/// A growable output buffer, which `LiveWriter` reuses for every batch of lines. With an array instead, price-cache
/// would be a fifth slower.
@safe public struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity = 512
    public private(set) var count = 0

    public init() {
        unsafe start = .allocate(capacity: capacity)
    }

    deinit {
        unsafe start.deallocate()
    }

    var isEmpty: Bool { count == 0 }

    public var bytes: [UInt8] { unsafe Array(written) }

    public var text: String { unsafe String(decoding: written, as: UTF8.self) }

    func withBytes<Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
        unsafe try body(written.span)
    }

    private var written: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: start, count: count) }

    public mutating func append(_ byte: UInt8) {
        unsafe makeRoom(1).pointee = byte
    }

    public mutating func append(_ text: StaticString) {
        unsafe makeRoom(text.utf8CodeUnitCount).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { unsafe append($0) }
    }

    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let address = bytes.baseAddress else { return }
        unsafe makeRoom(bytes.count).update(from: address, count: bytes.count)
    }

    /// Appends text as a JSON string.
    mutating func append(quoted text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            if unsafe bytes.allSatisfy(isPlain) { return unsafe append(bytes) }
            for place in 0..<bytes.count { appendEscaped(unsafe bytes[place]) }
        }
        append(UInt8(ascii: "\""))
    }

    @inline(__always)
    public mutating func append(_ text: InlineText) {
        let place = unsafe UnsafeMutableRawPointer(makeRoom(InlineText.longest))
        unsafe place.storeBytes(of: text.words, as: InlineText.Words.self)
        count += text.count - InlineText.longest
    }

    /// Appends a member's name and a colon, preceded by a comma unless the member is the object's first.
    @inline(__always)
    mutating func startMember(_ name: StaticString) {
        if unsafe written.last != UInt8(ascii: "{") { append(UInt8(ascii: ",")) }
        let count = name.utf8CodeUnitCount
        unsafe fill(count + 3) { place in
            unsafe place[0] = UInt8(ascii: "\"")
            unsafe (place + 1).update(from: name.utf8Start, count: count)
            unsafe place[count + 1] = UInt8(ascii: "\"")
            unsafe place[count + 2] = UInt8(ascii: ":")
        }
    }

    /// Appends a number that is not negative.
    mutating func append(_ number: Int) {
        let count = number.digitCount
        unsafe fill(count) { place in
            var rest = UInt(bitPattern: number)
            for digit in (0..<count).reversed() {
                unsafe place[digit] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
    }

    private mutating func appendEscaped(_ byte: UInt8) {
        switch byte {
        case _ where isPlain(byte): append(byte)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            append(UInt8(ascii: "\\"))
            append(byte)
        default: append("\\u00\(byte < 0x10 ? "0" : "")\(String(byte, radix: 16))")
        }
    }

    public mutating func removeAll() {
        count = 0
    }

    /// Appends bytes and replaces the zeros at the given positions with the digits of a non-negative number.
    ///
    /// - Parameter places: the index of each of these zeros in `bytes`, from the last digit to the first. If a zero
    ///   takes several bytes, as in some writing systems, pass the index of its last byte.
    public mutating func append(_ bytes: [UInt8], addingDigitsOf number: Int, at places: [Int]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append($0) }
        let end = unsafe start + count
        var text = unsafe UnsafeMutableBufferPointer(start: end - bytes.count, count: bytes.count).mutableSpan
        var rest = UInt(bitPattern: number)
        for place in places {
            text[place] &+= UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Appends `count` bytes, which `body` writes directly into the buffer.
    private mutating func fill(_ count: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Void) {
        unsafe body(makeRoom(count))
    }

    /// Makes room for `more` bytes and adds `more` to `count`.
    ///
    /// - Returns: the address at which the caller must write these bytes.
    private mutating func makeRoom(_ more: Int) -> UnsafeMutablePointer<UInt8> {
        if count + more > capacity { grow(by: more) }
        defer { count += more }
        return unsafe start + count
    }

    @inline(never)
    private mutating func grow(by more: Int) {
        let old = unsafe start
        capacity += max(capacity, more)
        unsafe start = .allocate(capacity: capacity)
        unsafe start.update(from: old, count: count)
        unsafe old.deallocate()
    }
}

extension Int {
    /// The number of digits of this integer, which must not be negative.
    public var digitCount: Int {
        var (count, limit) = (1, 10)
        while count < 19, self >= limit { (count, limit) = (count + 1, limit &* 10) }
        return count
    }
}

/// Whether a byte can be part of a JSON string without an escape.
private func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
}

/// A value that can be written as compact JSON.
public protocol JSONValue {
    /// Appends the value as JSON.
    func append(to text: inout ByteBuffer)
}

extension ByteBuffer {
    /// Appends a member of an object, unless its value is nil.
    ///
    /// Inlined, so that the name is copied as a constant, which makes price-cache several percent faster.
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
