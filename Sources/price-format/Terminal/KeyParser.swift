import PipeCommon

/// A key that was typed on a terminal.
enum Key: Equatable {
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, backspace
    /// Another key that sends one byte, such as a letter, a digit, a space, or a control character such as Ctrl-L.
    case byte(UInt8)

    static let space = Key.letter(" ")
    static let redraw = Key.byte(0x0C)

    static func letter(_ letter: Unicode.Scalar) -> Key {
        .byte(UInt8(ascii: letter))
    }
}

/// Recognizes keys in the bytes that a terminal sends. A key such as an arrow sends several bytes, the first of which
/// is the byte of the Esc key. If no more bytes follow soon, the Esc key itself was typed. Pure.
struct KeyParser {
    /// How long to wait for the rest of a sequence.
    private static let patience = Duration.milliseconds(40)
    private static let escape: UInt8 = 0x1B

    /// The bytes that have followed the byte of the Esc key so far; nil if no sequence has begun. At most ten bytes are
    /// kept, which is enough for the known keys.
    private var sequence: [UInt8]?
    /// When to stop waiting for the rest of a sequence; nil if no sequence has begun.
    private(set) var deadline: Deadline?

    mutating func keys(in bytes: some Sequence<UInt8>, at now: Deadline.Instant = .now) -> [Key] {
        let keys = bytes.compactMap { key($0) }
        deadline = sequence.map { _ in Deadline(in: Self.patience, from: now) }
        return keys
    }

    /// Call this when there is no input to read.
    ///
    /// - Returns: the Esc key if it was typed alone and the deadline has passed; otherwise nil. After the deadline, an
    ///   incomplete sequence is discarded.
    mutating func expire(at now: Deadline.Instant = .now) -> Key? {
        guard let deadline, deadline.hasPassed(at: now) else { return nil }
        defer { (sequence, self.deadline) = (nil, nil) }
        return sequence == [] ? .escape : nil
    }

    /// - Returns: nil if the byte does not complete a known key.
    private mutating func key(_ byte: UInt8) -> Key? {
        let former = sequence
        sequence = byte == Self.escape ? [] : nil
        // If two Esc bytes arrive in a row, the first was the Esc key itself.
        if byte == Self.escape { return former == [] ? .escape : nil }
        guard let former else { return Self.plainKey(byte) }
        switch former.first {
        case nil:
            if [UInt8(ascii: "["), UInt8(ascii: "O")].contains(byte) { sequence = [byte] }
            return nil
        case UInt8(ascii: "O"): return byte == UInt8(ascii: "M") ? .enter : Self.named(byte)
        default:
            if byte == UInt8(ascii: "~") { return Self.numbered(former.dropFirst()) }
            // Digits and punctuation precede the last byte. Any other byte ends the sequence.
            if (0x20...0x3F).contains(byte) { sequence = former.prefix(9) + [byte] }
            return Self.named(byte)
        }
    }

    private static func plainKey(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): .enter
        case 0x08, 0x7F: .backspace
        case 1..<0x80: .byte(byte)
        default: nil
        }
    }

    private static func named(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        default: nil
        }
    }

    /// - Parameter number: the bytes before the final `~`: the number of the key, sometimes followed by a semicolon and
    ///   a number for the modifier keys.
    private static func numbered(_ number: ArraySlice<UInt8>) -> Key? {
        switch String(decoding: number.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
        case "1", "7": .home
        case "4", "8": .end
        case "5": .pageUp
        case "6": .pageDown
        default: nil
        }
    }
}
