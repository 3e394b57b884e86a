extension Command {
    /// The error for an option that is not in the table. It names the one that was probably meant, if there is one.
    func unknownOption(_ word: String) -> UsageError {
        let name = Self.parts(of: word).name
        // Some programs have long options with one hyphen.
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

    /// The same for a word that is the name of an option or one of the words to choose from.
    public func exactOption(meantBy word: String) -> String? {
        if options.contains(where: { $0.names.contains("--\(word)") }) { return "--\(word)" }
        let option = options.first { $0.placeholder?.split(separator: "|").contains(Substring(word)) == true }
        return option.map { "\($0.names[0]) \(word)" }
    }
}
