import PipeCommon

/// A style that prints lines: when a reading arrives, when the time of something that is held back is up, and at the end.
protocol LineStyle {
    /// When `expire` is to be called; nil while nothing is held back.
    var deadline: Deadline? { get }
    mutating func record(_ reading: Reading, at now: Deadline.Instant, to output: inout ReadingWriter)
        throws(StreamError)
    mutating func expire(at now: Deadline.Instant, to output: inout ReadingWriter) throws(StreamError)
    /// - Returns: the exit status if all input was good.
    mutating func finish(to output: inout ReadingWriter) throws(StreamError) -> ExitStatus
}

/// Prints the lines of a style, as soon as they are due.
func printLines(of style: some LineStyle, _ diagnostics: Diagnostics) throws(StreamError) -> ExitStatus {
    var style = style
    var readings = RecordReader<Reading>(diagnostics: diagnostics)
    var output = ReadingWriter(diagnostics: diagnostics)
    while !readings.hasEnded {
        if try readings.wait(until: style.deadline) { try readings.read() }
        let now = Deadline.Instant.now
        while let reading = readings.next() { try style.record(reading, at: now, to: &output) }
        try style.expire(at: now, to: &output)
        try output.flush()
    }
    let status = try style.finish(to: &output)
    try output.finish()
    return readings.status == .done ? status : readings.status
}
