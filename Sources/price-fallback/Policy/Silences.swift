import PipeCommon

/// Counts the ticks in a row that each source has not answered at all, in order to find sources that hang.
/// Pure.
struct Silences {
    private static let limit = 5

    private var counts: [Int]

    init(sources: Int) {
        counts = Array(repeating: 0, count: sources)
    }

    /// Counts one more tick without an answer.
    ///
    /// - Returns: why the source has to be restarted, when it is one too many.
    mutating func recordSilence(of source: Int) -> String? {
        counts[source] += 1
        return counts[source] == Self.limit ? "no answer to \(Self.limit) ticks in a row" : nil
    }

    /// Starts to count from 0 again, after an answer, even a late one, and after the end of the source.
    mutating func recordSignOfLife(of source: Int) {
        counts[source] = 0
    }
}
