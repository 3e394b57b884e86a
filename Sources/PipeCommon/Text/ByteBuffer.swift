/// Bytes on their way out. Kept from line to line, it allocates nothing.
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

    /// A number that is not negative.
    public mutating func append(_ number: Int) {
        append(number, digits: number.digitCount)
    }

    /// The last digits of a number that is not negative.
    mutating func append(_ number: Int, digits: Int) {
        var place = makeRoom(digits) + digits
        var rest = UInt(bitPattern: number)
        for _ in 0..<digits {
            place -= 1
            place.pointee = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    public mutating func removeAll() {
        count = 0
    }

    /// Takes away what was appended after a place.
    mutating func cut(to place: Int) {
        count = place
    }

    /// - Parameter bytes: puts the next ones, so many, in their place.
    public mutating func fill(_ more: Int, _ bytes: (UnsafeMutablePointer<UInt8>) -> Void) {
        bytes(makeRoom(more))
    }

    /// - Returns: where the next bytes, so many, are to be put.
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

    /// Whether it ends with a byte.
    func ends(with byte: UInt8) -> Bool {
        count > 0 && start[count - 1] == byte
    }
}
