/// The statuses with which a program that uses `Filter` exits, unless a signal makes it end. The numbers from 64 to 74
/// are taken from `sysexits.h`.
public enum ExitStatus: Int32, Sendable {
    case done = 0
    /// Wrong options or operands.
    case usage = 64
    /// At least one input line was invalid.
    case badInput = 65
    /// The user requested a single price, but there was none; or the readings for a table or a chart contained no price
    /// to show; or the user gave `--require-quote`, but no reading contained a quote.
    case noQuote = 69
    /// A bug in the program or, in the tools `bench` and `soak`, a failed check.
    case bug = 70
    /// Input or output failed, a quote could not be saved, a stored file could not be validated, or the program could
    /// not start.
    case streamFailed = 74
    /// The terminal, the reader of standard output or the reader of the requests to the clock is gone. Most shells
    /// report the same status for a program that SIGPIPE has ended.
    case readerGone = 141
}

/// The version of the programs in Swift. `scripts/price-clock` defines the same version for the scripts.
public let version = "1.0.0"
