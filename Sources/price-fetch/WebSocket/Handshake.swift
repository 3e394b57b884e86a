import PipeCommon

/// The client's opening handshake (RFC 6455, section 4.1): one request, and the header of its answer. It
/// offers no extension and no subprotocol. Pure.
struct Handshake {
    private let key: String
    /// How many bytes of headers have arrived, interim answers included.
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

    /// Reads each byte once, however the header is split.
    ///
    /// - Returns: the bytes that follow the header of the answer; nil while it is not complete.
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

    /// - Returns: false for an interim answer.
    private func isAccepted(_ lines: [Substring], at now: Timestamp) throws(FetchError) -> Bool {
        let words = lines[0].split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0] == "HTTP/1.1", words[1].utf8.count == 3, let status = Int(words[1]),
            status >= 100
        else { throw FetchError(.network, "the answer is not HTTP/1.1") }
        let fields = lines.dropFirst().map(Self.field)
        func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }
        if status != 101 {
            if status < 200 { return false }
            let response = HTTPResponse(status: status, retryAfter: values("retry-after").first, body: [])
            throw FetchError(refusal: response, nil, "no upgrade to a WebSocket", at: now)
        }
        let connection = values("connection").flatMap { $0.lowercased().split { ", ".contains($0) } }
        guard values("upgrade").map({ $0.lowercased() }) == ["websocket"], connection.contains("upgrade")
        else {
            throw FetchError(.network, "the server does not upgrade to a WebSocket")
        }
        guard values("sec-websocket-accept") == [Self.proof(of: key)] else {
            throw FetchError(.network, "the server does not prove that it has read the handshake")
        }
        guard values("sec-websocket-extensions").isEmpty, values("sec-websocket-protocol").isEmpty else {
            throw FetchError(.network, "the server chose what was not offered")
        }
        return true
    }

    /// The name of a field in lowercase, and its value without surrounding blanks.
    private static func field(_ line: Substring) -> (name: String, value: String) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let words = parts.dropFirst().joined().split { " \t".contains($0) }
        return (parts[0].lowercased(), words.joined(separator: " "))
    }
}
