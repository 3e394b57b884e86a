import PipeCommon

/// The client's opening handshake (RFC 6455, section 4.1): one request, and the header of the answer to it. The request
/// offers no extension and no subprotocol. Pure.
struct Handshake {
    private let key: String
    /// How far this machine's clock differs from the server's; nil if the server's time is not known, or if the clocks
    /// roughly agree.
    private(set) var clockProblem: String?
    /// How many bytes of headers have arrived, including the headers of interim answers.
    private var size = 0
    /// The header that is arriving, without carriage returns.
    private var head: [UInt8] = []

    /// - Parameter nonce: 16 random bytes.
    init(nonce: [UInt8] = (0..<16).map { _ in .random(in: 0 ... .max) }) {
        key = base64(nonce)
    }

    func request(_ address: WebSocketAddress) -> [UInt8] {
        let lines = [
            "GET \(address.target) HTTP/1.1", "Host: \(address.authority)", "Upgrade: websocket",
            "Connection: Upgrade", "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
            "User-Agent: btc-price/\(version)", "", "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    /// The value with which a server proves that it has read the key.
    static func proof(of key: String) -> String {
        base64(SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    /// Receives the next bytes of the answer.
    ///
    /// - Returns: the bytes that follow the header of the answer; nil while the header is not complete.
    /// - Throws: an error if the server rejects the handshake or its answer is not valid.
    mutating func receive(_ bytes: [UInt8], at now: Timestamp) throws(FetchError) -> [UInt8]? {
        for (index, byte) in bytes.enumerated() {
            size += 1
            guard size <= HTTPResponse.largestHead else {
                throw FetchError(.network, "the header is too large")
            }
            switch byte {
            case UInt8(ascii: "\r"): break
            case UInt8(ascii: "\n") where head.isEmpty: break
            case UInt8(ascii: "\n") where head.last == byte:
                let lines = String(decoding: head, as: UTF8.self).split(separator: "\n")
                if try isAccepted(lines, at: now) { return Array(bytes[(index + 1)...]) }
                head = []
            default: head.append(byte)
            }
        }
        return nil
    }

    /// - Returns: true if the server accepts the handshake; false for an interim answer.
    /// - Throws: an error for any other answer.
    private mutating func isAccepted(_ lines: [Substring], at now: Timestamp) throws(FetchError) -> Bool {
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, words[0] == "HTTP/1.1", words[1].utf8.count == 3, let status = Int(words[1]),
            status >= 100
        else { throw FetchError(.network, "the answer is not HTTP/1.1") }
        let fields = lines.dropFirst().map(Self.field)
        func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
        if status != 101 {
            if status < 200 { return false }
            let response = HTTPResponse(
                status: status, retryAfter: values("retry-after").first, date: values("date").first, body: [])
            var error = FetchError(refusal: response, nil, "no upgrade to a WebSocket", at: now)
            error.concernsSource = true
            throw error.isRefusalWithoutTime ? error.retrying(after: RetryAfter.usual) : error
        }
        clockProblem = PriceAge.clockProblem(values("date").first, at: now)
        let connection = values("connection").flatMap { $0.lowercased().split { ", ".contains($0) } }
        guard values("upgrade").map({ $0.lowercased() }) == ["websocket"], connection.contains("upgrade")
        else {
            throw FetchError(.network, "the server does not upgrade to WebSocket")
        }
        guard values("sec-websocket-accept") == [Self.proof(of: key)] else {
            throw FetchError(.network, "the header Sec-WebSocket-Accept is missing or wrong")
        }
        guard values("sec-websocket-extensions").isEmpty, values("sec-websocket-protocol").isEmpty else {
            throw FetchError(.network, "the server chose an extension or a subprotocol that was not offered")
        }
        return true
    }

    /// The name of a field in lowercase, and its value without surrounding or repeated blanks.
    private static func field(_ line: Substring) -> (name: String, value: String) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let words = parts.dropFirst().joined().split { " \t".contains($0) }
        return (parts[0].lowercased(), words.joined(separator: " "))
    }
}

/// SHA-1 (RFC 3174), which the WebSocket handshake requires. The handshake does not use it to protect a secret.
enum SHA1 {
    static func digest(_ message: [UInt8]) -> [UInt8] {
        var hash: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        // The message is padded to whole blocks of 64 bytes with a 1 bit, zeros, and the message's length in bits.
        let zeros = [UInt8](repeating: 0, count: (119 - message.count % 64) % 64)
        let padded = message + [0x80] + zeros + UInt64(message.count * 8).bigEndianBytes
        for block in stride(from: 0, to: padded.count, by: 64) {
            update(&hash, with: padded[block..<block + 64])
        }
        return hash.flatMap(\.bigEndianBytes)
    }

    private static func update(_ hash: inout [UInt32], with block: ArraySlice<UInt8>) {
        var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
            UInt32(bigEndianBytes: block[start..<start + 4])
        }
        for index in 16..<80 {
            let word = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
            words.append(rotated(word, by: 1))
        }
        var (a, b, c, d, e) = (hash[0], hash[1], hash[2], hash[3], hash[4])
        for (index, word) in words.enumerated() {
            let (mix, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            (a, b, c, d, e) = (rotated(a, by: 5) &+ mix &+ e &+ constant &+ word, a, rotated(b, by: 30), c, d)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { hash[index] &+= value }
    }

    private static func rotated(_ word: UInt32, by count: UInt32) -> UInt32 {
        word << count | word >> (32 - count)
    }
}

/// Encodes bytes in Base64 (RFC 4648, section 4).
func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    return stride(from: 0, to: bytes.count, by: 3).map { (start: Int) -> String in
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits: Int = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        let text = [18, 12, 6, 0].map { digits[bits >> $0 & 63] }.prefix(group.count + 1)
        return String(text) + String(repeating: "=", count: 3 - group.count)
    }.joined()
}
