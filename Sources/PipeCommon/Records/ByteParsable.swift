/// A value that is written as text of one form, and in no other way.
public protocol ByteParsable {
    /// - Returns: nil for any other text.
    init?(utf8: UnsafeBufferPointer<UInt8>)
}

extension ByteParsable {
    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8(Self.init(utf8:)) else { return nil }
        self = value
    }
}
