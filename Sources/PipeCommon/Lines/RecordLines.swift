/// The records on standard input, one by one, for as long as somebody reads standard output.
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

    /// Waits until more has come, and leaves it in standard input.
    ///
    /// - Returns: false, at once, while some of what was read is still to be used.
    public func waitForMore() throws(StreamError) -> Bool {
        guard lines.isDry else { return false }
        try lines.waitForInput()
        return true
    }

    /// Waits for the next good record; nil at the end of the input.
    public mutating func next() throws(StreamError) -> Value? {
        while let line = try lines.next() {
            if let record = parser.record(in: line) { return record }
        }
        return nil
    }
}
