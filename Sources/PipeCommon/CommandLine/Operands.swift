/// The operands of a command line.
public struct Operands<Options>: Sendable {
    /// `PRIMARY [FALLBACK...]`
    let synopsis: String
    let limit: Int
    let path: WritableKeyPath<Options, [String]> & Sendable

    public init(
        _ synopsis: String, _ path: WritableKeyPath<Options, [String]> & Sendable, atMost limit: Int = .max
    ) {
        (self.synopsis, self.path, self.limit) = (synopsis, path, limit)
    }

    /// The name of the first one.
    var name: String { String(synopsis.prefix { $0 != " " }) }
}
