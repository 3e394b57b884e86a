import PipeCommon

/// A style that prints lines: as readings arrive, when lines that were held back are due, or at the end of the input.
protocol LineStyle {
    /// When the next line that is held back is due; nil if no line becomes due merely because time passes.
    var deadline: Deadline? { get }
    /// Records a reading and prints the lines that are now complete.
    mutating func print(_ reading: Reading, at now: Deadline.Instant, to output: inout LiveWriter)
        throws(StreamError)
    /// Prints the lines that are due.
    ///
    /// - Parameter now: nil at the end of the input, when all remaining lines are printed.
    mutating func printDue(at now: Deadline.Instant?, to output: inout LiveWriter) throws(StreamError)
    /// The exit status if all input was valid.
    var status: ExitStatus { get }
}

/// Reads standard input and prints the lines of a style as soon as they are due.
///
/// - Parameter requests: the descriptor of the pipe for requests to the clock; -1 if there is none. If no process reads
///   this pipe any more, the clock has ended early; the next wait throws `.readerGone`, which ends the printing.
func printLines(
    of style: some LineStyle, requests: Int32, _ diagnostics: Diagnostics
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
