/// Lets a problem be reported when it begins or changes, not each time it is met.
public struct ChangeFilter: Sendable {
    private var reported: String?

    public init() {}

    /// - Returns: the problem when it differs from the last one; nil when it was reported before, or when there is none.
    public mutating func changed(to problem: String?) -> String? {
        defer { reported = problem }
        return problem == reported ? nil : problem
    }
}
