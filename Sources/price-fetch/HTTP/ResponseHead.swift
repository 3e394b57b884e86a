import PipeCommon

/// The header of an answer, received line by line: only what decides whether its body is complete, and when to ask
/// again. Pure.
struct ResponseHead {
    private(set) var size = 0
    private(set) var retryAfter: String?
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
    mutating func receive(_ line: UnsafeBufferPointer<UInt8>) {
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

    private mutating func receiveField(_ line: UnsafeBufferPointer<UInt8>) {
        let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let value = String(decoding: parts[1].trimmingASCIISpace, as: UTF8.self)
        switch String(decoding: parts[0], as: UTF8.self).lowercased() {
        case "content-length": lengths.formUnion(value.split(separator: ",").map(\.trimmed))
        case "transfer-encoding": isChunked = value.lowercased().hasSuffix("chunked")
        case "retry-after": retryAfter = value
        default: break
        }
    }
}

extension UInt8 {
    fileprivate var isASCIISpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension Collection<UInt8> {
    fileprivate var trimmingASCIISpace: [UInt8] {
        Array(drop(while: \.isASCIISpace).reversed().drop(while: \.isASCIISpace).reversed())
    }
}

extension Substring {
    fileprivate var trimmed: String { String(decoding: utf8.trimmingASCIISpace, as: UTF8.self) }
}
