/// The SplitMix64 generator, which is small and produces the same numbers on every machine.
public struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    public init(_ seed: UInt64) {
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns a copy of a JSON text with one to three small mutations. Each mutation flips a bit, or
    /// replaces, removes or inserts a byte.
    public mutating func mutation(of text: [UInt8]) -> [UInt8] {
        let telling = Array(#"{}[]",:\.-+eE0123456789"#.utf8)
        var text = text
        for _ in 0..<Int.random(in: 1...3, using: &self) {
            let place = Int.random(in: 0..<text.count, using: &self)
            switch Int.random(in: 0..<5, using: &self) {
            case 0: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &self)
            case 1: text[place] = telling.randomElement(using: &self)!
            case 2 where text.count > 1: text.remove(at: place)
            case 3: text.insert(telling.randomElement(using: &self)!, at: place)
            default: text.insert(UInt8.random(in: 0...255, using: &self), at: place)
            }
        }
        return text
    }
}
