extension Command {
    /// The error for an option that is not in the table. It names the one that was probably meant, if there is one.
    func unknownOption(_ word: String) -> UsageError {
        let name = Self.parts(of: word).name
        // Some programs have long options with one hyphen.
        let long = word.hasPrefix("--") ? name : Self.parts(of: "-\(word)").name
        let known = options.flatMap(\.names).filter { $0.hasPrefix("--") }
        let begun = known.filter { $0.hasPrefix(long) }
        let similar = nearest(String(long.dropFirst(2)), among: known.map { String($0.dropFirst(2)) })
        guard let meant = begun.count == 1 ? begun[0] : similar.map({ "--\($0)" }) else {
            return UsageError("unknown option \(name)")
        }
        let typed = word.hasPrefix("--") ? name : String(long.dropFirst())
        return UsageError("unknown option \(typed): did you mean \(meant)?")
    }
}
