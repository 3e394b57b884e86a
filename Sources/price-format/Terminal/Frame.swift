/// The size of a terminal in character cells.
struct ScreenSize: Equatable {
    var columns: Int
    var rows: Int
}

/// The contents of a terminal, and the update from one frame to the next. An update between frames of the same size
/// writes only the lines that have changed, the title if it has changed, and the last row. All updates are
/// synchronized, so that terminals that support synchronized updates can show each update in one piece. Pure.
///
/// On a terminal with at least three rows, scroll margins keep plain text from other programs, such as the warnings of
/// a source, in the last row. Without the margins, the newlines in such text would scroll the screen, and rows that
/// are not drawn again would show old prices.
struct Frame: Equatable {
    var lines: [String] = []
    var title = ""
    let size: ScreenSize

    /// - Parameter old: the frame that the terminal shows; nil to draw everything.
    /// - Returns: the bytes to write; empty if nothing changes.
    func update(from old: Frame?) -> String {
        // After a change of size, the terminal may have moved or cut lines.
        let old = old?.size == size ? old : nil
        var text = old == nil ? "\(margins)\u{1B}[2J" : ""
        let oldLines = old?.lines ?? []
        for row in 0..<max(lines.count, oldLines.count) {
            let line = row < lines.count ? lines[row] : ""
            if row < oldLines.count ? oldLines[row] == line : line.isEmpty { continue }
            // The row is cleared before the line is written, because clearing the rest of the row afterwards could
            // erase a character: if the line is as wide as the terminal, the cursor stays on the line's last character.
            text += "\u{1B}[\(row + 1);1H\u{1B}[2K\(line)"
        }
        if old?.title ?? "" != title { text += "\u{1B}]2;\(title)\u{7}" }
        return text.isEmpty ? "" : "\u{1B}[?2026h\(text)\(lastRow)\u{1B}[?2026l"
    }

    /// The bytes that limit scrolling to the rows above the last row or, if there are fewer than three rows, remove the
    /// limit. With the limit, a newline written in the last row, where the cursor rests, does not scroll anything.
    private var margins: String { size.rows < 3 ? "\u{1B}[r" : "\u{1B}[1;\(size.rows - 1)r" }

    /// The bytes that draw the last row again over any output of other programs and leave the cursor at the beginning
    /// of the row.
    private var lastRow: String {
        let line = lines.count == size.rows ? lines[size.rows - 1] : ""
        return "\u{1B}[\(size.rows);1H\u{1B}[2K\(line)\u{1B}[\(size.rows);1H"
    }
}
