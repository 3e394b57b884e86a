import PipeCommon

/// A style that prints lines: when a reading arrives, when a line that is held back is due, and at the end of the
/// input.
protocol LineStyle {
    /// When a line that is held back is due; nil if there is none.
    var deadline: Deadline? { get }
    /// Prints the lines that are complete once a reading arrives.
    mutating func print(_ reading: Reading, at now: Deadline.Instant, to output: inout LiveWriter)
        throws(StreamError)
    /// Prints the lines whose time is up.
    ///
    /// - Parameter now: nil at the end of the input, when all remaining lines are printed.
    mutating func printDue(at now: Deadline.Instant?, to output: inout LiveWriter) throws(StreamError)
    /// The exit status if all input was valid.
    var status: ExitStatus { get }
}

/// Reads standard input and prints the lines of a style as soon as they are due.
///
/// - Parameter requests: the pipe of requests to the clock; -1 if there is none. If nobody reads it any more, the clock
///   was killed, and nothing more is printed.
func printLines(
    of style: some LineStyle, requests: Int32 = -1, _ diagnostics: Diagnostics
) throws(StreamError) -> ExitStatus {
    var style = style
    var readings = RecordReader<Reading>(requests: requests, diagnostics: diagnostics)
    var output = LiveWriter(requests: requests, diagnostics: diagnostics)
    while !readings.hasEnded {
        if try readings.wait(until: style.deadline) { try readings.read() }
        let now = Deadline.Instant.now
        while let reading = readings.next() { try style.print(reading, at: now, to: &output) }
        try style.printDue(at: now, to: &output)
        try output.flush()
    }
    try style.printDue(at: nil, to: &output)
    try output.finish()
    return readings.status == .done ? style.status : readings.status
}
