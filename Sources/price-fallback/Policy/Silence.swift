/// Counts the beats in a row in which a source has answered nothing at all, in order to find a source that hangs. All
/// ticks with one number are one beat, so a source that is too slow for many symbols does not count as hung. Beats that
/// end together were asked together, as those of a recording are, and count as one. Pure.
struct Silence {
    private static let limit = 5
    private static let hint = "it has never answered; if it buffers its output, run it with stdbuf -oL"

    private var count = 0
    private var hasAnswered = false
    private var isHintTaken = false
    /// The last beat that was counted or answered.
    private var beat: Int?

    /// Whether a beat was counted before, or another tick of it was answered.
    func hasSeen(_ beat: Int?) -> Bool { self.beat == beat }

    /// Counts a beat that has ended without an answer. Of beats that end together, one is to be counted.
    ///
    /// - Returns: why the source has to be restarted, when this is one too many.
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

    /// What may be the matter with a source that was never heard, once.
    mutating func takeHint() -> String? {
        defer { isHintTaken = true }
        return hasAnswered || isHintTaken ? nil : Self.hint
    }
}
