/// What Swift offers for this comes with its regular expressions, which would cost each process a third of a megabyte.
extension String {
    func contains(_ part: String) -> Bool {
        pieces(between: part).count > 1
    }

    func replacing(_ part: String, with other: String) -> String {
        pieces(between: part).joined(separator: other)
    }

    /// - Parameter part: not empty.
    private func pieces(between part: String) -> [String] {
        var (pieces, piece, rest) = ([String](), "", self[...])
        while let first = rest.first {
            if rest.hasPrefix(part) {
                pieces.append(piece)
                (piece, rest) = ("", rest.dropFirst(part.count))
            } else {
                piece.append(first)
                rest.removeFirst()
            }
        }
        return pieces + [piece]
    }
}
