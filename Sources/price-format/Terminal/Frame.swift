/// What a terminal is sent so that it shows other lines and another title: only what has changed, between the marks of
/// synchronized output, so that nobody sees half a frame. Pure.
struct Frame: Equatable {
    var lines: [String] = []
    var title = ""

    /// - Parameter old: what the terminal shows; nil to draw everything.
    /// - Returns: an empty text when nothing has changed.
    func update(from old: Frame?) -> String {
        var text = old == nil ? "\u{1B}[2J" : ""
        let oldLines = old?.lines ?? []
        for row in 0..<max(lines.count, oldLines.count) {
            let line = row < lines.count ? lines[row] : ""
            if row < oldLines.count ? oldLines[row] == line : line.isEmpty { continue }
            // Cleared first: after a line as wide as the terminal the cursor is still on its last character.
            text += "\u{1B}[\(row + 1);1H\u{1B}[2K\(line)"
        }
        if old?.title ?? "" != title { text += "\u{1B}]2;\(title)\u{7}" }
        return text.isEmpty ? "" : "\u{1B}[?2026h\(text)\u{1B}[?2026l"
    }
}
