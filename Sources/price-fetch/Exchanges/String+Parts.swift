/// Swift's own versions come with its regular expressions, which would cost every process a third of a
/// megabyte.
extension String {
    func contains(_ part: String) -> Bool {
        indices.contains { self[$0...].hasPrefix(part) }
    }

    /// - Parameter part: must not be empty.
    func replacing(_ part: String, with other: String) -> String {
        var (text, rest) = ("", self[...])
        while let first = rest.first {
            let isPart = rest.hasPrefix(part)
            text += isPart ? other : String(first)
            rest = rest.dropFirst(isPart ? part.count : 1)
        }
        return text
    }
}
