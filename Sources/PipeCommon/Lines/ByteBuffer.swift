/// A growable output buffer, reused for every line. An array in its place costs price-cache a fifth of its speed.
public struct ByteBuffer: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity = 512
    public private(set) var count = 0

    public init() {
        start = .allocate(capacity: capacity)
    }

    deinit {
        start.deallocate()
    }

    public var bytes: [UInt8] { Array(bytes(from: 0)) }

    public var text: String { String(decoding: bytes(from: 0), as: UTF8.self) }

    /// The bytes from a place on, valid until more are appended.
    func bytes(from place: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: start + place, count: count - place)
    }

    public mutating func append(_ byte: UInt8) {
        makeRoom(1).pointee = byte
    }

    public mutating func append(_ text: StaticString) {
        makeRoom(text.utf8CodeUnitCount).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let address = bytes.baseAddress else { return }
        makeRoom(bytes.count).update(from: address, count: bytes.count)
    }

    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Appends a number that is not negative.
    mutating func append(_ number: Int) {
        let count = number.digitCount
        fill(count) { place in
            var rest = UInt(bitPattern: number)
            for digit in (0..<count).reversed() {
                place[digit] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            }
        }
    }

    public mutating func removeAll() {
        count = 0
    }

    /// Appends `count` bytes that `body` writes in place.
    public mutating func fill(_ count: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Void) {
        body(makeRoom(count))
    }

    /// Whether the last byte is this one.
    func ends(with byte: UInt8) -> Bool {
        count > 0 && start[count - 1] == byte
    }

    /// - Returns: where the next bytes are to be written.
    private mutating func makeRoom(_ more: Int) -> UnsafeMutablePointer<UInt8> {
        if count + more > capacity { grow(by: more) }
        defer { count += more }
        return start + count
    }

    @inline(never)
    private mutating func grow(by more: Int) {
        let old = start
        capacity = max(2 * capacity, count + more)
        start = .allocate(capacity: capacity)
        start.update(from: old, count: count)
        old.deallocate()
    }
}

extension Int {
    /// The number of digits of a number that is not negative.
    public var digitCount: Int {
        var (count, limit) = (1, 10)
        while count < 19, self >= limit { (count, limit) = (count + 1, limit &* 10) }
        return count
    }
}
