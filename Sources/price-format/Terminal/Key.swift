/// A key that was typed on a terminal.
enum Key: Equatable {
    case up, down, pageUp, pageDown, home, end
    case enter, escape, backspace
    /// A key that is one byte: a letter, a sign, or a control character such as Ctrl-L.
    case byte(UInt8)

    static let space = Key.letter(" ")
    static let redraw = Key.byte(0x0C)

    static func letter(_ letter: Unicode.Scalar) -> Key {
        .byte(UInt8(ascii: letter))
    }
}
