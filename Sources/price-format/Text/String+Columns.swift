extension String {
    /// The number of terminal columns that the text takes.
    var columns: Int {
        if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
        return unicodeScalars.reduce(0) { $0 + $1.columns }
    }
}

extension String {
    /// Shortens a text to a number of columns. Prices must not be shortened, because a shortened price looks like
    /// another price.
    ///
    /// - Returns: the text if it fits; otherwise the beginning of the text, followed by the ellipsis. If even the
    ///   ellipsis does not fit, the result is as much of the ellipsis as fits.
    func shortened(to columns: Int, _ ellipsis: String) -> String {
        if self.columns <= columns { return self }
        let room = columns - ellipsis.columns
        guard room >= 0 else { return String(ellipsis.prefix(max(0, columns))) }
        let first = pieces(of: room)[0]
        return first.columns <= room ? first + ellipsis : ellipsis
    }

    /// Like `shortened`, but if the text before the ellipsis would end in a word with a digit, this word is left out,
    /// because it may be a part of a price.
    func shortenedBetweenPrices(to columns: Int, _ ellipsis: String) -> String {
        if self.columns <= columns { return self }
        let short = shortened(to: columns, ellipsis).dropLast(ellipsis.count)
        let lastWord = short.lastIndex(of: " ").map(short.index(after:)) ?? short.startIndex
        guard short[lastWord...].contains(where: \.isWholeNumber) else { return short + ellipsis }
        return short[..<lastWord] + ellipsis
    }
}

extension String {
    /// The text cut into pieces of at most `columns` columns; one piece if it fits. A character that is
    /// wider than `columns` gets a piece of its own.
    func pieces(of columns: Int) -> [String] {
        if self.columns <= columns { return [self] }
        return reduce(into: []) { pieces, character in
            if let last = pieces.last, (last + String(character)).columns <= columns {
                pieces[pieces.count - 1].append(character)
            } else {
                pieces.append(String(character))
            }
        }
    }
}

extension [String] {
    /// Joins the words with spaces into lines of at most `columns` columns. A word that is wider than a line is not
    /// broken and gets a separate line.
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

extension Unicode.Scalar {
    /// The code ranges of East Asian characters, most of which take two columns.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF,
        0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]

    /// The number of columns that the character takes, regardless of the locale: two for most emoji and East Asian
    /// characters; none for most format characters and for most characters that combine with the previous character;
    /// otherwise one.
    fileprivate var columns: Int {
        switch value {
        // The common cases: Latin letters, arrows, lines, blocks, dots and currency signs.
        case ..<0x300, 0x20A0...0x20CF, 0x2190...0x2319, 0x2500...0x25FC, 0x2800...0x28FF: return 1
        // Two of these characters form a flag, which takes two columns.
        case 0x1F1E6...0x1F1FF: return 1
        default: break
        }
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        if (0x1160...0x11FF).contains(value) { return 0 }
        return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
}
