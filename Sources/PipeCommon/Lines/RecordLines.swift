/// The records on standard input, one by one, for as long as somebody reads standard output.
public struct RecordLines<Value: Record> {
    private var lines = InputLines()
    private var parser: RecordParser<Value>

    public init(_ type: Value.Type = Value.self, diagnostics: Diagnostics) {
        parser = RecordParser(diagnostics: diagnostics)
    }

    /// What to exit with at the end of the input.
    public var status: ExitStatus { parser.status }

    /// Waits for the next good record; nil at the end of the input.
    public mutating func next() throws(StreamError) -> Value? {
        while let line = try lines.next() {
            if let record = parser.record(in: line) { return record }
        }
        return nil
    }
}
