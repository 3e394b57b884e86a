/// Decides when it is reported that a source gives no quote in time: once, until it gives one again. Of a source that has
/// given a quote before, a single slow answer is not worth a report. Pure.
struct Lateness {
    private var hasQuoted = false
    /// Also if the source itself has reported that it has no network.
    var isReported = false
    /// The beats in a row, and the last of them.
    private var count = 0
    private var beat: Int?

    /// A quote came in time.
    mutating func end() {
        (hasQuoted, isReported, count) = (true, false, 0)
    }

    /// A tick had no answer in time.
    ///
    /// - Returns: whether that is to be reported now.
    mutating func record(_ beat: Int?) -> Bool {
        if count == 0 || beat != self.beat { count += 1 }
        self.beat = beat
        guard !isReported, count >= (hasQuoted ? 2 : 1) else { return false }
        isReported = true
        return true
    }
}
