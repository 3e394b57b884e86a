extension Command {
    /// The error for an option that is not in the table. It suggests the one that was probably meant, if any.
    func unknownOption(_ word: String) -> UsageError {
        let name = Self.parts(of: word).name
        // In some other programs, long options have a single hyphen.
        let long = word.hasPrefix("--") ? name : Self.parts(of: "-\(word)").name
        guard let meant = option(meantBy: String(long.dropFirst(2))) else {
            return UsageError("unknown option \(name)")
        }
        let typed = word.hasPrefix("--") ? name : String(long.dropFirst())
        return UsageError("unknown option \(typed): did you mean \(meant)?")
    }

    /// The option that was probably meant by a word without hyphens: `--version` for `version`, `vers` and `verison`, or
    /// `--style board` for `board`.
    private func option(meantBy word: String) -> String? {
        let names = options.flatMap(\.names).filter { $0.hasPrefix("--") }
        let begun = names.filter { $0.hasPrefix("--\(word.lowercased())") }
        let similar = nearest(word, among: names.map { String($0.dropFirst(2)) }).map { "--\($0)" }
        return begun.count == 1 ? begun[0] : exactOption(meantBy: word) ?? similar
    }

    /// The option that was meant by a word that is exactly an option's name or one of an option's choices.
    public func exactOption(meantBy word: String) -> String? {
        if options.contains(where: { $0.names.contains("--\(word)") }) { return "--\(word)" }
        let option = options.first { $0.placeholder?.split(separator: "|").contains(Substring(word)) == true }
        return option.map { "\($0.names[0]) \(word)" }
    }
}

/// The name that was probably meant by a word: the word itself in any case, or a similar spelling.
///
/// - Returns: nil if there is none, or more than one.
public func nearest(_ word: String, among names: [String]) -> String? {
    let word = word.lowercased()
    // In a short word, even a few changed letters make a different word.
    let limit = word.count > 4 ? 2 : 1
    let distances = names.map { (name: $0, distance: distance(from: Array(word.utf8), to: Array($0.utf8))) }
    guard let least = distances.map(\.distance).min(), least <= limit, least < word.count else { return nil }
    let best = distances.filter { $0.distance == least }
    return best.count == 1 ? best[0].name : nil
}

/// The edit distance: the number of letters to add, remove, replace, or swap with the next one.
private func distance(from: [UInt8], to: [UInt8]) -> Int {
    var rows = [Array(0...to.count)]
    for row in 1..<from.count + 1 {
        rows.append([row])
        for column in 1..<to.count + 1 {
            let cost = from[row - 1] == to[column - 1] ? 0 : 1
            var least = min(
                rows[row - 1][column - 1] + cost, rows[row - 1][column] + 1, rows[row][column - 1] + 1)
            if row > 1, column > 1, from[row - 2] == to[column - 1], from[row - 1] == to[column - 2] {
                least = min(least, rows[row - 2][column - 2] + 1)
            }
            rows[row].append(least)
        }
    }
    return rows[from.count][to.count]
}
