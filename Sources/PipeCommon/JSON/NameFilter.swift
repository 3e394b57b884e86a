/// A one-word Bloom filter: false means that no name occurs twice.
struct NameFilter {
    private var seen: UInt64 = 0
    private(set) var mayRepeat = false

    mutating func insert(_ name: JSONText) {
        let count = name.bytes.count
        // Distinguishes the names of all our records. For an empty name it reads the closing quote.
        let (first, last) = (name.bytes.baseAddress![0], name.bytes.baseAddress![max(count, 1) - 1])
        let bit = UInt64(1) &<< UInt64(first &+ last &+ 11 &* UInt8(truncatingIfNeeded: count))
        mayRepeat = mayRepeat || name.hasEscapes || seen & bit != 0
        seen |= bit
    }
}
