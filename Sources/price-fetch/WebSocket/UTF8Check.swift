/// Checks UTF-8 that arrives in pieces cut anywhere, and finds the first wrong byte as soon as it is there. Pure.
struct UTF8Check {
    /// How many bytes of a character are missing, and which values the next of them may have.
    private var missing = 0
    private var allowed: ClosedRange<UInt8> = 0x80...0xBF

    /// Whether the text could end here.
    var isComplete: Bool { missing == 0 }

    /// - Returns: whether everything so far may be the beginning of a text.
    mutating func accepts(_ bytes: some Sequence<UInt8>) -> Bool {
        for byte in bytes where !accepts(byte) { return false }
        return true
    }

    private mutating func accepts(_ byte: UInt8) -> Bool {
        if missing > 0 {
            guard allowed.contains(byte) else { return false }
            (missing, allowed) = (missing - 1, 0x80...0xBF)
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        // Neither an overlong form, nor half of a surrogate pair, nor more than U+10FFFF.
        case 0xE0: (missing, allowed) = (2, 0xA0...0xBF)
        case 0xED: (missing, allowed) = (2, 0x80...0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, allowed) = (3, 0x90...0xBF)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, allowed) = (3, 0x80...0x8F)
        default: return false
        }
        return true
    }
}
