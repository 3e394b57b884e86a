import PipeCommon

/// Made-up prices, each of which differs from the one before it by up to 1 %. The same seed gives the same
/// prices. Pure.
struct RandomWalk {
    /// In cents.
    private var price: Int
    private var generator: SplitMix64

    /// - Parameter seed: combined with the symbol, so that every symbol has its own walk.
    init(of symbol: Symbol, seed: UInt64) {
        // The FNV-1a hash of the symbol.
        let hash = symbol.text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        generator = SplitMix64(state: seed ^ hash)
        price = 2_000 + Int(hash % 40_000)
    }

    mutating func next() -> Price {
        price = max(1, price + price * Int.random(in: -10_000...10_000, using: &generator) / 1_000_000)
        let cents = price % 100
        return Price("\(price / 100).\(cents < 10 ? "0" : "")\(cents)")!
    }
}

/// A small seeded generator (Steele, Lea and Flood, 2014).
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
