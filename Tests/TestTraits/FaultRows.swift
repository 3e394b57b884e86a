import Testing

/// The faults that a test covers, as row numbers in the table of faults in `Tests/README.md`.
public struct FaultRows: TestTrait {
    let rows: [Int]

    /// Shown when the test fails.
    public var comments: [Comment] {
        rows.map { "fault \($0) in the table of faults in Tests/README.md" }
    }
}

extension Trait where Self == FaultRows {
    public static func fault(_ rows: Int...) -> Self { FaultRows(rows: rows) }
}
