import PipeCommon

/// The header of an answer, received line by line. Keeps only the fields that show whether the body is complete, how
/// old the answer is, and when to retry. Pure.
struct ResponseHead {
    private(set) var size = 0
    private(set) var retryAfter: String?
    /// `Age`: the time since the source's server generated the answer or confirmed that it is current (RFC 9111).
    private(set) var age: Duration?
    /// `Date`: when the server sent the answer, by its own clock.
    private(set) var date: String?
    private var lengths: Set<String> = []
    /// `Transfer-Encoding`, in lowercase. It overrides a length.
    private var encoding: String?
    private(set) var isComplete = false

    /// Whether a field in the header shows where the body ends in HTTP/1.1 (RFC 9112, section 6): the body is sent in
    /// chunks, the last of which is empty, or the header states a single length and contains no `Transfer-Encoding`.
    var hasProvenEnd: Bool { encoding?.hasSuffix("chunked") ?? (lengths.count == 1) }

    /// The body's length in bytes according to the header; if the header states several lengths, any one of them.
    /// `.max` if this length is too large or not a number; nil if the header does not state a length.
    var length: Int? {
        lengths.first.map { Int($0) ?? .max }
    }

    /// - Parameter line: a line with its line end. A status line begins a new header: any headers before it belong to
    ///   interim answers. Lines after the end of the header are trailers, whose fields are ignored.
    mutating func receive(_ line: Span<UInt8>) {
        size += line.count
        if line.starts(with: "HTTP/") {
            self = ResponseHead(size: size)
        } else if line.isBlank {
            isComplete = true
        } else if !isComplete {
            receiveField(line)
        }
    }

    init() {}

    private init(size: Int) {
        self.size = size
    }

    private mutating func receiveField(_ line: Span<UInt8>) {
        // The first letter is enough to rule out most of the fields that are not needed.
        switch Unicode.Scalar(line[0] | 0x20) {
        case "a":
            guard let value = line.value(of: "age:"), !value.isEmpty, value.utf8.allSatisfy(UInt8.isDigit)
            else { return }
            // RFC 9111, section 1.2.2, allows 2³¹ seconds to stand for an age that is too large.
            age = .seconds(min(Int(value) ?? .max, 1 << 31))
        case "c":
            guard let value = line.value(of: "content-length:") else { return }
            lengths.formUnion(value.split { ", \t".contains($0) }.map(String.init))
        case "d": date = line.value(of: "date:") ?? date
        case "r": retryAfter = line.value(of: "retry-after:") ?? retryAfter
        case "t": encoding = line.value(of: "transfer-encoding:")?.lowercased() ?? encoding
        default: break
        }
    }
}

extension UInt8 {
    fileprivate var isASCIISpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}

extension BidirectionalCollection<UInt8> {
    /// The bytes without surrounding blanks and line ends.
    var trimmed: SubSequence {
        let start = drop(while: \.isASCIISpace)
        return start.lastIndex { !$0.isASCIISpace }.map { start[...$0] } ?? start
    }
}

extension Span<UInt8> {
    /// - Parameter bits: the bits to ignore in each byte; 0x20 to ignore the case of letters.
    fileprivate func starts(with text: String, ignoring bits: UInt8 = 0) -> Bool {
        guard count >= text.utf8.count else { return false }
        var place = 0
        for byte in text.utf8 {
            if self[place] | bits != byte | bits { return false }
            place += 1
        }
        return true
    }

    fileprivate var isBlank: Bool {
        for place in indices where !self[place].isASCIISpace { return false }
        return true
    }

    /// The value of a field, without surrounding blanks; nil if the line contains another field.
    ///
    /// - Parameter name: the name of the field, with its colon.
    fileprivate func value(of name: String) -> String? {
        guard starts(with: name, ignoring: 0x20) else { return nil }
        var value: [UInt8] = []
        value.reserveCapacity(count)
        for place in name.utf8.count..<count { value.append(self[place]) }
        return String(decoding: value.trimmed, as: UTF8.self)
    }
}

/// How long requests to a source, or for one of its symbols, are paused after a refusal. For a rate limit without a
/// stated time, see also `RefusalBackoff`. Pure.
enum RetryAfter {
    /// The pause after a denial, a rejected subscription, a request for an unsupported symbol, or a request for a
    /// candle from an origin that offers no candles. It also applies if a WebSocket handshake is rejected because of a
    /// rate limit and the answer does not state how long to wait.
    static let usual = Duration.seconds(60)
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(60 * 60)

    /// Reads the field `Retry-After` (RFC 9110), which contains a number of seconds or a date. A date is compared with
    /// the server's own clock if the answer contains a valid `Date` field.
    ///
    /// - Parameter now: the time by this machine's clock.
    /// - Returns: the pause that the field states, but at least a second and at most an hour; nil if the field is
    ///   missing or invalid.
    static func duration(of response: HTTPResponse, now: Timestamp) -> Duration? {
        let serverTime = response.date.flatMap(HTTPDate.time) ?? now
        let wanted = response.retryAfter.flatMap { seconds($0) ?? until($0, now: serverTime) }
        return wanted.map { min(max($0, shortest), longest) }
    }

    private static func seconds(_ text: String) -> Duration? {
        guard !text.isEmpty, text.utf8.allSatisfy(UInt8.isDigit) else { return nil }
        return .seconds(Int(text) ?? .max)
    }

    private static func until(_ text: String, now: Timestamp) -> Duration? {
        HTTPDate.time(text).map { .milliseconds($0.milliseconds - now.milliseconds) }
    }
}

/// A time in a header (RFC 9110), such as `Sun, 22 Nov 2026 14:03:07 GMT`. A time after the year 9999 counts as the end
/// of that year. Pure.
enum HTTPDate {
    static func time(_ text: String) -> Timestamp? {
        guard text.hasSuffix("GMT") else { return nil }
        let latest = Timestamp.latest.milliseconds / 1000
        return WebText.time(text).map { Timestamp(milliseconds: min($0, latest) * 1000) }
    }
}
