import PipeCommon

/// Counts the beats in a row in which each source has answered nothing at all, in order to find sources that hang.
/// All ticks with one number are one beat, so a source that is too slow for many symbols does not count as hung. Beats
/// that end together were asked together, as those of a recording are, and count as one. Pure.
struct Silences {
    private static let limit = 5

    /// For each source the silent beats in a row, and the last beat that was counted or answered.
    private var states: [(count: Int, beat: Int?)]

    init(sources: Int) {
        states = Array(repeating: (0, nil), count: sources)
    }

    /// Whether a beat was counted before, or another tick of it was answered.
    func hasSeen(_ beat: Int?, from source: Int) -> Bool { states[source].beat == beat }

    /// Counts a beat that has ended without an answer. Of beats that end together, one is to be counted.
    ///
    /// - Returns: why the source has to be restarted, when this is one too many.
    mutating func recordSilence(of source: Int, in beat: Int?) -> String? {
        states[source] = (states[source].count + 1, beat)
        return states[source].count == Self.limit ? "no answer in \(Self.limit) beats in a row" : nil
    }

    /// Starts to count from 0 again, after an answer, even a late one.
    mutating func recordSignOfLife(of source: Int, in beat: Int?) {
        states[source] = (0, beat)
    }

    /// Starts to count from 0 again, after the end of the source.
    mutating func recordEnd(of source: Int) {
        states[source].count = 0
    }
}
