/// A JSON object in the pipeline or in a stored file, usually a line or part of a line. Its known members are checked,
/// and all other members are ignored.
public protocol Record: JSONValue, Sendable {
    /// Reads the object that makes up the record.
    ///
    /// - Throws: `InvalidInput` if the value is not a valid object, if a required member is missing, or if a known
    ///   member is invalid.
    init(_ json: inout JSONReader) throws(InvalidInput)
    /// Appends the record's members to a JSON object, in a fixed order. Members without a value are omitted.
    func addMembers(to object: inout ByteBuffer)
}

extension Record {
    /// Reads a record from a line without its line end.
    ///
    /// - Throws: `InvalidInput` if the line is not a JSON object, or does not contain a valid record of this type.
    public init(line: some Collection<UInt8>) throws(InvalidInput) {
        var json = JSONReader()
        try self.init(line: Array(line)[...], by: &json)
    }

    /// - Parameter json: the reader, which can be reused for further lines.
    @inline(__always)
    init(line: ArraySlice<UInt8>, by json: inout JSONReader) throws(InvalidInput) {
        json.start(line)
        do throws(InvalidInput) {
            try self.init(&json)
            try json.finish()
        } catch {
            if line.lazy.filter({ !isBlank($0) }).elementsEqual([UInt8(ascii: "{")]) { throw .spread }
            // Any other line that is not JSON is reported as such, even if an invalid member precedes the syntax error.
            do throws(InvalidInput) {
                try JSONReader.read(line) { (json) throws(InvalidInput) in try json.skip() }
            } catch { throw InvalidInput("not a JSON object (\(error.reason))") }
            throw error
        }
    }

    /// The record as a line, without the line end.
    public var line: [UInt8] {
        var text = ByteBuffer()
        append(to: &text)
        return text.bytes
    }

    public func append(to text: inout ByteBuffer) {
        text.append(UInt8(ascii: "{"))
        addMembers(to: &text)
        text.append(UInt8(ascii: "}"))
    }
}

/// Returns the value of a required member. If the value is nil, throws an error that names the member.
func required<Value>(_ value: Value?, _ name: StaticString) throws(InvalidInput) -> Value {
    guard let value else { throw InvalidInput("\(name) is missing") }
    return value
}

/// The reason why input, such as a line, a record or a response, was rejected, worded for the user.
public struct InvalidInput: Error, Equatable, Sendable {
    public let reason: String

    public init(_ reason: String) {
        self.reason = reason
    }

    /// The error for a line that contains only `{` and blanks: probably the first line of an object that extends over
    /// several lines.
    static let spread = InvalidInput("an object must be on one line: write it with jq -c")
}

/// Makes text from outside the program safe to print. Each control character, format character (such as a bidirectional
/// override), line or paragraph separator, private-use code point or unassigned code point becomes `?`. Text of more
/// than `limit` code points is cut to `limit` code points, the last of which is then `…`.
public func printable(_ text: String, atMost limit: Int = .max) -> String {
    if text.utf8.count <= limit, text.isPlainASCII { return text }
    let clean = text.unicodeScalars.map { $0.isPrintable ? $0 : "?" }
    let cut = clean.count <= limit ? clean : clean.prefix(limit - 1) + ["…"]
    return String(String.UnicodeScalarView(cut))
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
