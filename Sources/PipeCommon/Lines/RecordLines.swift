/// The records on standard input, for as long as somebody reads standard output.
///
///     while try records.readMore() {
///         while let record = records.next() { … }
///     }
public struct RecordLines<Value: Record> {
    private var lines = InputLines()
    private var parser: RecordParser<Value>

    /// - Parameter lines: how many were read before these; they count in diagnostics.
    public init(
        _ type: Value.Type = Value.self, diagnostics: Diagnostics, after lines: Int = 0,
        status: ExitStatus = .done
    ) {
        parser = RecordParser(diagnostics: diagnostics, after: lines, status: status)
    }

    /// How many lines were read.
    public var count: Int { parser.count }

    /// What to exit with at the end of the input.
    public var status: ExitStatus { parser.status }

    /// Whether all that was read has been used.
    public var isDry: Bool { lines.isDry }

    /// Waits until more has come, and leaves it in standard input; until the deadline at most.
    ///
    /// - Returns: whether more has come, or the end of the input.
    public func wait(until deadline: Deadline?) throws(StreamError) -> Bool {
        try lines.wait(until: deadline)
    }

    /// Takes what has come, when `next` has nothing left.
    ///
    /// - Returns: false at the end of the input.
    public mutating func read() throws(StreamError) -> Bool {
        try lines.read()
    }

    /// Waits until more has come, and takes it.
    ///
    /// - Returns: false at the end of the input.
    public mutating func readMore() throws(StreamError) -> Bool {
        while try !wait(until: nil) {}
        return try read()
    }

    /// The next good record in what has come.
    public mutating func next() -> Value? {
        while let line = lines.next() {
            if let record = parser.record(in: line) { return record }
        }
        return nil
    }
}
