/// Decides when to report that a source gives no quote in time: once, until it gives one again. If the source
/// has given a quote before, a single slow answer is not reported. Pure.
struct Lateness {
    private var hasQuoted = false
    /// Also true if the source itself has reported a network failure.
    var isReported = false
    /// The number of late beats in a row, and the last of them.
    private var count = 0
    private var beat: Int?

    /// Records that a quote arrived in time.
    mutating func end() {
        (hasQuoted, isReported, count) = (true, false, 0)
    }

    /// Records that a tick was not answered in time.
    ///
    /// - Returns: whether to report it now.
    mutating func record(_ beat: Int?) -> Bool {
        if count == 0 || beat != self.beat { count += 1 }
        self.beat = beat
        guard !isReported, count >= (hasQuoted ? 2 : 1) else { return false }
        isReported = true
        return true
    }
}
