import PipeCommon

/// The part of a source's state that does not depend on the symbol. Pure.
struct SourceState {
    /// The source's name according to its readings, except readings with stored quotes; at first, its initial name.
    private(set) var name: String
    /// The name in the source's last reading with a new quote that was neither rejected nor from a store; nil before
    /// the first such quote. Unlike `name`, it is never taken from a failure or from an old quote, which may contain
    /// the name of another source that this source has queried.
    private(set) var quotedName: String?
    /// Whether the source is a store, judged by its last reading.
    private(set) var isStore = false
    var hang = HangDetector()
    var lateness = Lateness()
    /// When the source was last queried for a current price, or when `WarmUp` began to count the source's idle time;
    /// nil if neither has happened.
    var lastAsked: Deadline.Instant?

    /// - Parameter name: the name to use until a reading provides another name.
    init(name: String) {
        self.name = name
    }

    mutating func record(_ reading: borrowing Reading) {
        hang.end(in: reading.tick)
        // Readings with stored quotes contain the names of other sources.
        if !reading.isStored, let name = reading.source ?? reading.failures.last?.source { self.name = name }
        if !reading.isStored, reading.isFresh { quotedName = reading.source }
        isStore = reading.isStored || !reading.hasQuote && reading.failures.last?.kind == .expired
    }
}

/// Counts the beats in a row that a source leaves unanswered, to detect that the source hangs. All ticks for current
/// prices with the same number are one beat, so a source that is too slow for many symbols does not count as hung.
/// Beats that end together, as in a replayed recording, count as one beat. Pure.
struct HangDetector {
    private static let limit = 5
    private static let hint = "it has never answered; if it buffers its output, run it with stdbuf -oL"

    private var count = 0
    private var hasAnswered = false
    private var isHintTaken = false
    /// The number of the last counted beat or of the source's last reading, whichever came later.
    private var beat: Int?

    /// Whether the beat was already counted, or the source has sent a reading with the beat's number. Only the last
    /// such number is remembered.
    func hasSeen(_ beat: Int?) -> Bool { self.beat == beat }

    /// Counts a beat that has ended without an answer. Must be called only once for beats that end together.
    ///
    /// - Returns: the reason to restart the source if this beat reaches the limit; otherwise nil.
    mutating func record(_ beat: Int?) -> String? {
        (count, self.beat) = (count + 1, beat)
        return count == Self.limit ? "no answer in \(Self.limit) beats in a row" : nil
    }

    /// Starts counting from 0 again after an answer, even a late answer.
    mutating func end(in beat: Int?) {
        (count, self.beat, hasAnswered) = (0, beat, true)
    }

    /// Starts counting from 0 again after the source was lost (see `FallbackPolicy.Event`) or hung.
    mutating func endOfSource() {
        count = 0
    }

    /// The likely cause of the hang; nil if the source has ever answered, or after the first call.
    mutating func takeHint() -> String? {
        defer { isHintTaken = true }
        return hasAnswered || isHintTaken ? nil : Self.hint
    }
}

/// Decides when to report that a source's quotes are late. After a report, the source must send a quote in time before
/// lateness is reported again. If the source has ever sent a quote in time, a single late beat is not reported. Quotes
/// that were requested only as second opinions or to keep a connection open do not count. Pure.
struct Lateness {
    private var hasQuoted = false
    /// Whether lateness has been reported since the last quote in time. Also set when a tick for a current price is
    /// answered in time without a new quote and the first failure is a network failure, because the source itself is
    /// expected to report such a failure.
    var isReported = false
    /// The number of beats in which the source was late since its last quote in time, and the number of the last such
    /// beat. Successive late beats with the same number count as one.
    private var count = 0
    private var beat: Int?

    /// Records that a quote arrived in time.
    mutating func end() {
        (hasQuoted, isReported, count) = (true, false, 0)
    }

    /// Records a beat in which the source was late.
    ///
    /// - Returns: whether to report now that the source is late.
    mutating func record(_ beat: Int?) -> Bool {
        if count == 0 || beat != self.beat { count += 1 }
        self.beat = beat
        guard !isReported, count >= (hasQuoted ? 2 : 1) else { return false }
        isReported = true
        return true
    }
}
