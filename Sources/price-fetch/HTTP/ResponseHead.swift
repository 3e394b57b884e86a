import PipeCommon

/// The header of an answer, received line by line: only what decides whether its body is complete, how old it is,
/// and when to ask again. Pure.
struct ResponseHead {
    private(set) var size = 0
    private(set) var retryAfter: String?
    /// `Age`: the time since the answer left its server (RFC 9111).
    private(set) var age: Duration?
    /// `Date`: when the server sent the answer, by its own clock.
    private(set) var date: String?
    private var lengths: Set<String> = []
    private var isChunked = false
    private var isComplete = false

    /// Whether HTTP/1.1 proves where the body ends (RFC 9112, section 6): by one length, or by its last chunk.
    var hasProvenEnd: Bool { isChunked || lengths.count == 1 }

    /// The length that the body claims to have; `.max` for a number too large to be one.
    var length: Int? {
        lengths.first.map { Int($0) ?? .max }
    }

    /// - Parameter line: with its line end. A status line begins a new header: the ones before it were interim
    ///   answers. Lines after the end of the header are trailers, and ignored.
    mutating func receive(_ line: [UInt8]) {
        size += line.count
        if line.starts(with: "HTTP/".utf8) {
            self = ResponseHead(size: size)
        } else if line.allSatisfy(\.isASCIISpace) {
            isComplete = true
        } else if !isComplete {
            receiveField(line)
        }
    }

    init() {}

    private init(size: Int) {
        self.size = size
    }

    private mutating func receiveField(_ line: [UInt8]) {
        if let value = line.value(of: "content-length:") {
            lengths.formUnion(value.split { ", \t".contains($0) }.map(String.init))
        } else if let value = line.value(of: "transfer-encoding:") {
            isChunked = value.lowercased().hasSuffix("chunked")
        } else if let value = line.value(of: "retry-after:") {
            retryAfter = value
        } else if let value = line.value(of: "date:") {
            date = value
        } else if let value = line.value(of: "age:"), !value.isEmpty, value.utf8.allSatisfy(UInt8.isDigit) {
            // The largest age that RFC 9111 asks caches to know.
            age = .seconds(min(Int(value) ?? .max, 1 << 31))
        }
    }
}

extension UInt8 {
    fileprivate var isASCIISpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension BidirectionalCollection<UInt8> {
    /// Without the blanks and line ends around it.
    var trimmed: SubSequence {
        let start = drop(while: \.isASCIISpace)
        return start.lastIndex { !$0.isASCIISpace }.map { start[...$0] } ?? start
    }
}

extension [UInt8] {
    /// The value of a field, without the blanks around it; nil when the line is of another field.
    ///
    /// - Parameter name: in lower case, with its colon.
    fileprivate func value(of name: String) -> String? {
        let length = name.utf8.count
        guard count > length, zip(self, name.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) else { return nil }
        return String(decoding: dropFirst(length).trimmed, as: UTF8.self)
    }
}
