/// SHA-1 (RFC 3174), which the WebSocket handshake requires. It protects no secret there.
enum SHA1 {
    static func digest(_ message: [UInt8]) -> [UInt8] {
        var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        // Padded to whole blocks of 64 bytes: a one bit, zeros, and the length in bits.
        let zeros = [UInt8](repeating: 0, count: (119 - message.count % 64) % 64)
        let padded = message + [0x80] + zeros + UInt64(message.count * 8).bigEndianBytes
        for block in stride(from: 0, to: padded.count, by: 64) {
            update(&hash, with: padded[block..<block + 64])
        }
        return hash.flatMap(\.bigEndianBytes)
    }

    private static func update(_ hash: inout [UInt32], with block: ArraySlice<UInt8>) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            UInt32(bigEndianBytes: block[start..<start + 4])
        }
        for index in 16..<80 {
            let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words.append(rotated(word, by: 1))
        }
        var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
        for (index, word) in words.enumerated() {
            let (mix, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            (a, b, c, d, e) = (rotated(a, by: 5) &+ mix &+ e &+ constant &+ word, a, rotated(b, by: 30), c, d)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { hash[index] &+= value }
    }

    private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}

/// Base64 (RFC 4648, section 4) of a few bytes.
func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    return stride(from: 0, to: bytes.count, by: 3).map { start in
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        let text = [18, 12, 6, 0].map { digits[bits >> $0 & 63] }.prefix(group.count + 1)
        return String(text) + String(repeating: "=", count: 3 - group.count)
    }.joined()
}
