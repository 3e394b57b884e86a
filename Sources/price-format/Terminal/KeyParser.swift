import PipeCommon

/// Finds keys in the bytes that a terminal sends. A key such as an arrow is a sequence of bytes that begins with that
/// of the key Esc; it is Esc itself if no more bytes arrive soon. Pure.
struct KeyParser {
    /// How long the rest of a sequence may take.
    private static let patience = Duration.milliseconds(40)
    private static let escape: UInt8 = 0x1B

    private enum State {
        case plain
        /// After Esc.
        case begun
        /// After Esc and [, with the bytes so far, at most as many as the known keys have.
        case sequence([UInt8])
        /// After Esc and O.
        case letter
    }

    private var state = State.plain
    /// When to stop waiting for the rest of a sequence; nil while none has begun.
    private(set) var deadline: Deadline?

    mutating func keys(in bytes: some Sequence<UInt8>, at now: Deadline.Instant = .now) -> [Key] {
        let keys = bytes.compactMap { key($0) }
        if case .plain = state { deadline = nil } else { deadline = Deadline(in: Self.patience, from: now) }
        return keys
    }

    /// To be called when there is nothing to read.
    ///
    /// - Returns: the key Esc if it was typed alone. Half a sequence is discarded.
    mutating func expire(at now: Deadline.Instant = .now) -> Key? {
        guard let deadline, deadline.hasPassed(at: now) else { return nil }
        defer { (state, self.deadline) = (.plain, nil) }
        if case .begun = state { return .escape }
        return nil
    }

    /// - Returns: nil if the byte does not complete a known key.
    private mutating func key(_ byte: UInt8) -> Key? {
        if byte == Self.escape {
            // Two in a row: the first one was the key.
            defer { state = .begun }
            if case .begun = state { return .escape }
            return nil
        }
        switch state {
        case .plain: return Self.plainKey(byte)
        case .begun:
            state = byte == UInt8(ascii: "[") ? .sequence([]) : byte == UInt8(ascii: "O") ? .letter : .plain
            return nil
        case .letter:
            state = .plain
            return Self.named(byte)
        case .sequence(let begin):
            guard (0x40...0x7E).contains(byte) else {
                // A byte that no sequence has ends it.
                state = (0x20...0x3F).contains(byte) ? .sequence(begin.prefix(8) + [byte]) : .plain
                return nil
            }
            state = .plain
            return byte == UInt8(ascii: "~") ? Self.numbered(begin) : Self.named(byte)
        }
    }

    private static func plainKey(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "\r"), UInt8(ascii: "\n"): .enter
        case 0x08, 0x7F: .backspace
        case 1...0x7E: .byte(byte)
        default: nil
        }
    }

    private static func named(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "M"): .enter
        default: nil
        }
    }

    /// - Parameter number: before the end `~`; a number of the keys that are held with it may follow.
    private static func numbered(_ number: [UInt8]) -> Key? {
        switch String(decoding: number.prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self) {
        case "1", "7": .home
        case "4", "8": .end
        case "5": .pageUp
        case "6": .pageDown
        default: nil
        }
    }
}
