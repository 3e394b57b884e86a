/// A text with eight zeros behind it: what goes through it stops there by itself, also when it reads eight at a time.
struct JSONBytes: ~Copyable {
    private static let padding = 8

    private(set) var start: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity = 512

    init() {
        start = .allocate(capacity: capacity)
    }

    deinit {
        start.deallocate()
    }

    mutating func take(_ text: ArraySlice<UInt8>) {
        if text.count + Self.padding > capacity { grow(to: text.count + Self.padding) }
        text.withUnsafeBufferPointer { text in
            if let bytes = text.baseAddress { start.update(from: bytes, count: text.count) }
        }
        (start + text.count).update(repeating: 0, count: Self.padding)
        count = text.count
    }

    @inline(never)
    private mutating func grow(to size: Int) {
        start.deallocate()
        capacity = size
        start = .allocate(capacity: capacity)
    }
}
