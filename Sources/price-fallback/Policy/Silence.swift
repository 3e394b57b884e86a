/// Detects a source that hangs by counting the beats in a row in which it has not answered at all. All ticks
/// with one number are one beat, so a source that is too slow for many symbols does not count as hung. Beats
/// that end together, as in a recording, were asked together and count as one. Pure.
struct Silence {
    private static let limit = 5
    private static let hint = "it has never answered; if it buffers its output, run it with stdbuf -oL"

    private var count = 0
    private var hasAnswered = false
    private var isHintTaken = false
    /// The last beat that was counted or answered.
    private var beat: Int?

    /// Whether a beat was already counted, or another of its ticks was answered.
    func hasSeen(_ beat: Int?) -> Bool { self.beat == beat }

    /// Counts a beat that has ended without an answer. Of beats that end together, count only one.
    ///
    /// - Returns: why the source must be restarted, if this beat reaches the limit.
    mutating func record(_ beat: Int?) -> String? {
        (count, self.beat) = (count + 1, beat)
        return count == Self.limit ? "no answer in \(Self.limit) beats in a row" : nil
    }

    /// Starts to count from 0 again, after an answer, even a late one.
    mutating func end(in beat: Int?) {
        (count, self.beat, hasAnswered) = (0, beat, true)
    }

    /// Starts to count from 0 again, after the end of the source.
    mutating func endOfSource() {
        count = 0
    }

    /// Returns, once, the likely cause if a source has never answered.
    mutating func takeHint() -> String? {
        defer { isHintTaken = true }
        return hasAnswered || isHintTaken ? nil : Self.hint
    }
}
