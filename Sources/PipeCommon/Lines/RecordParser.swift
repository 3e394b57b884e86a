/// Turns lines into records. A bad line is named on standard error, skipped, and remembered in `status`.
public struct RecordParser<Value: Record> {
    private let diagnostics: Diagnostics
    private let json = JSONParser()
    /// How many lines have come.
    public private(set) var count: Int
    /// `.badInput` once a line was bad.
    public private(set) var status: ExitStatus

    public init(
        _ type: Value.Type = Value.self, diagnostics: Diagnostics, after lines: Int = 0,
        status: ExitStatus = .done
    ) {
        self.diagnostics = diagnostics
        self.status = status
        count = lines
    }

    /// - Returns: nil for a blank line, and for a bad one.
    public mutating func record(in line: LineReader.Line) -> Value? {
        count += 1
        do throws(InvalidInput) {
            switch line {
            case .tooLong: throw InvalidInput("longer than 64 KiB")
            case .text(let bytes): return bytes.allSatisfy(isBlank) ? nil : try Value(line: bytes, by: json)
            }
        } catch {
            diagnostics.warning("line \(count): \(error.reason)")
            status = .badInput
            return nil
        }
    }
}

private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
}
