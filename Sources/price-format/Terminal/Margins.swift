/// Keeps what other programs write on the terminal, such as the warnings of a source, in its last row: elsewhere their
/// line ends would scroll the screen, and leave rows with old prices that are not drawn again. Pure.
enum Margins {
    /// Only the rows above the last one scroll, and nothing is written at the end of those.
    static func keepLastRow(of size: ScreenSize) -> String {
        size.rows < 3 ? "\u{1B}[r" : "\u{1B}[1;\(size.rows - 1)r"
    }

    /// Draws the last row again, over what has been written there, and leaves the cursor at its beginning.
    static func lastRow(of frame: Frame, _ size: ScreenSize) -> String {
        let line = frame.lines.count == size.rows ? frame.lines[size.rows - 1] : ""
        return "\u{1B}[\(size.rows);1H\u{1B}[2K\(line)\u{1B}[\(size.rows);1H"
    }
}
