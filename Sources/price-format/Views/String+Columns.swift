extension String {
    /// The number of terminal columns that the text takes.
    var columns: Int {
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
        return unicodeScalars.allSatisfy { $0.value < 0x300 } ? count : reduce(0) { $0 + $1.columns }
    }
}

extension String {
    /// - Returns: the text, or as much of it as there is room for before an ellipsis. Not for prices.
    func shortened(to columns: Int, _ ellipsis: String) -> String {
        if self.columns <= columns { return self }
        var text = ""
        for character in self where (text + String(character) + ellipsis).columns <= columns {
            text.append(character)
        }
        return (text + ellipsis).columns <= columns
            ? text + ellipsis : String(ellipsis.prefix(max(0, columns)))
    }
}

extension [String] {
    /// Words in lines. A word longer than a line is not broken.
    func wrapped(to columns: Int) -> [String] {
        reduce(into: []) { lines, word in
            if let last = lines.last, last.columns + 1 + word.columns <= columns {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(word)
            }
        }
    }
}

extension Character {
    /// East Asian characters and pictures take two columns, marks for the direction of the text none.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
        0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD,
    ]

    fileprivate var columns: Int {
        // Arrows, blocks and other signs that most lines have are one column wide.
        if let scalar = unicodeScalars.first, (0x2190...0x2BFF).contains(scalar.value) { return 1 }
        guard let scalar = unicodeScalars.first, scalar.properties.generalCategory != .format else {
            return 0
        }
        return Self.wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
}
