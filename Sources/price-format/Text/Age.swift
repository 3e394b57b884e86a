import PipeCommon

/// A time span in whole seconds, such as the age of a quote.
struct Age: Equatable {
    let seconds: Int

    /// - Returns: an age of zero if the time is in the future.
    init(since time: Timestamp, at now: Timestamp) {
        self.init(milliseconds: now.milliseconds - time.milliseconds)
    }

    init(milliseconds: Int) {
        seconds = max(0, milliseconds / 1000)
    }

    /// The time span in one unit, rounded down: `41 s`, `3 min`, `2 h` or `5 d`.
    var text: String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3600: "\(seconds / 60) min"
        case ..<86_400: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
