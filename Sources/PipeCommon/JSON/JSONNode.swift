/// Where a value stands in its text.
struct JSONNode {
    /// The name of a member, without its quotes.
    let name: Extent
    /// A string without its quotes, or a number.
    let value: Extent
    /// How many nodes this value has, with all that are in it.
    var size: Int32 = 1
    let kind: JSON.Kind

    init(kind: JSON.Kind, name: Extent, value: Extent = Extent()) {
        (self.kind, self.name, self.value) = (kind, name, value)
    }

    /// A piece of the text.
    struct Extent {
        private(set) var start: Int32 = 0
        private var countAndEscapes: Int32 = 0

        init() {}

        init(start: Int, end: Int, hasEscapes: Bool = false) {
            self.start = Int32(truncatingIfNeeded: start)
            countAndEscapes = Int32(truncatingIfNeeded: end - start) << 1 | (hasEscapes ? 1 : 0)
        }

        var count: Int { Int(countAndEscapes >> 1) }
        var hasEscapes: Bool { countAndEscapes & 1 != 0 }

        func bytes(in text: UnsafePointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(start: text + Int(start), count: count)
        }

        func string(in text: UnsafePointer<UInt8>) -> String {
            let bytes = bytes(in: text)
            return hasEscapes ? JSONEscapes.undone(in: bytes) : String(decoding: bytes, as: UTF8.self)
        }

        func withBytes<Value>(
            in text: UnsafePointer<UInt8>, _ use: (UnsafeBufferPointer<UInt8>) -> Value
        ) -> Value {
            guard hasEscapes else { return use(bytes(in: text)) }
            var string = string(in: text)
            return string.withUTF8(use)
        }

        func isEqual(to name: UnsafeBufferPointer<UInt8>, in text: UnsafePointer<UInt8>) -> Bool {
            guard countAndEscapes == Int32(truncatingIfNeeded: name.count) << 1 else {
                return hasEscapes && withBytes(in: text) { $0.elementsEqual(name) }
            }
            return memcmp(text + Int(start), name.baseAddress ?? text, name.count) == 0
        }
    }
}

/// The nodes of a text, in the order in which their values begin.
struct JSONNodes: ~Copyable {
    private(set) var first: UnsafeMutablePointer<JSONNode>
    private(set) var count = 0
    private var capacity = 32

    init() {
        first = .allocate(capacity: capacity)
    }

    deinit {
        first.deallocate()
    }

    subscript(index: Int) -> JSONNode {
        get { first[index] }
        nonmutating _modify { yield &first[index] }
    }

    mutating func append(_ node: JSONNode) {
        if count == capacity { grow() }
        first[count] = node
        count += 1
    }

    mutating func removeAll() {
        count = 0
    }

    @inline(never)
    private mutating func grow() {
        let old = first
        capacity *= 2
        first = .allocate(capacity: capacity)
        first.update(from: old, count: count)
        old.deallocate()
    }
}
