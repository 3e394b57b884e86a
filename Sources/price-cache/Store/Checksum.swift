/// The checksum of a stored line, as its last member: `…,"check":"1c291ca3"}`. Without it, one digit changed
/// by a failing disk would still be a valid price. A line without a checksum, e.g. written by hand, is
/// accepted.
enum Checksum {
    private static let opening = Array(#","check":""#.utf8)
    private static let closing = Array(#""}"#.utf8)
    private static let digits = 8

    /// - Parameter line: a JSON object.
    static func added(to line: [UInt8]) -> [UInt8] {
        line.dropLast() + opening + text(line).utf8 + closing
    }

    /// Whether the checksum is absent or correct.
    static func allows(_ line: [UInt8]) -> Bool {
        let end = line.last == UInt8(ascii: "\n") ? line.dropLast() : line[...]
        let tail = Array(end.suffix(opening.count + digits + closing.count))
        guard tail.starts(with: opening), tail.suffix(closing.count).elementsEqual(closing) else {
            return true
        }
        let checked = end.dropLast(tail.count) + [UInt8(ascii: "}")]
        return tail.dropFirst(opening.count).prefix(digits).elementsEqual(text(Array(checked)).utf8)
    }

    private static func text(_ bytes: [UInt8]) -> String {
        let digits = String(crc32(bytes), radix: 16)
        return String(repeating: "0", count: Self.digits - digits.count) + digits
    }

    /// CRC-32 as in ISO 3309, gzip and PNG. Every single flipped bit changes it.
    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in crc >> 8 ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] }
    }

    /// The remainders of single bytes.
    private static let table = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { crc, _ in crc >> 1 ^ (crc & 1 == 0 ? 0 : 0xEDB8_8320) }
    }
}
