import PipeCommon

/// The opening handshake of a client (RFC 6455, section 4.1): one request, and the header of its answer. No extension
/// and no subprotocol is offered. Pure.
struct Handshake {
    private static let largestHead = HTTPResponse.largestHead
    private static let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private let key: String
    /// How many bytes of headers have arrived, interim answers included.
    private var size = 0
    private var line: [UInt8] = []
    private var lines: [String] = []

    /// - Parameter nonce: 16 random bytes.
    init(nonce: [UInt8]) {
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

    /// Reads each byte once, however the header arrives.
    ///
    /// - Returns: the bytes that follow the header of the answer; nil while it is not complete.
    mutating func receive(_ bytes: [UInt8]) throws(WebSocketError) -> [UInt8]? {
        for (index, byte) in bytes.enumerated() {
            size += 1
            guard size <= Self.largestHead else { throw .notOpened("the header is too large") }
            if byte != UInt8(ascii: "\n") {
                line.append(byte)
            } else if try endLine() {
                return Array(bytes[(index + 1)...])
            }
        }
        return nil
    }

    /// - Returns: whether it was the end of the header that accepts the upgrade.
    private mutating func endLine() throws(WebSocketError) -> Bool {
        defer { line = [] }
        if line.contains(where: { $0 != UInt8(ascii: "\r") }) {
            lines.append(Self.text(line))
            return false
        }
        defer { lines = [] }
        if lines.isEmpty { return false }
        return try isAccepted(lines)
    }

    /// - Returns: false for an interim answer.
    private func isAccepted(_ lines: [String]) throws(WebSocketError) -> Bool {
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "HTTP/1.1", words[1].utf8.count == 3,
            words[1].utf8.allSatisfy(UInt8.isDigit), let status = Int(words[1])
        else {
            throw .notOpened("the answer is not HTTP/1.1")
        }
        let fields = lines.dropFirst().map(Self.field)
        func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
        switch status {
        case 101: break
        case 100..<200: return false
        default: throw .refused(status: status, retryAfter: values("retry-after").first)
        }
        let connection = values("connection").flatMap { $0.lowercased().split(separator: ",") }
        guard values("upgrade").map({ $0.lowercased() }) == ["websocket"],
            connection.contains(where: { Self.trimmed($0) == "upgrade" })
        else { throw .notOpened("the server does not upgrade to a WebSocket") }
        guard values("sec-websocket-accept") == [base64(SHA1.digest(Array((key + Self.guid).utf8)))] else {
            throw .notOpened("the server does not prove that it has read the handshake")
        }
        guard values("sec-websocket-extensions").isEmpty, values("sec-websocket-protocol").isEmpty else {
            throw .notOpened("the server chose what was not offered")
        }
        return true
    }

    private static func text(_ line: some Sequence<UInt8>) -> String {
        trimmed(String(decoding: Array(line), as: UTF8.self))
    }

    private static func field(_ line: String) -> (name: String, value: String) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (parts[0].lowercased(), parts.count == 2 ? trimmed(parts[1]) : "")
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        let isBlank = { (character: Character) in character.isASCII && character.isWhitespace }
        let start = text.drop(while: isBlank)
        return String(start.reversed().drop(while: isBlank).reversed())
    }
}
