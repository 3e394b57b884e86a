import Foundation
import PipeCommon

@testable import price_fetch

/// A WebSocket server at the other end of a connection, without a network: answers the handshake, records what it is
/// sent, and says what it is told to say.
final class ServerStub: ByteStream {
    var state = ByteStreamState.connecting
    private var input: [UInt8] = []
    private var unread: [UInt8] = []
    private var hasShakenHands = false
    /// The answer to the handshake, in place of the usual one.
    var answer: [UInt8]?
    /// The text messages that it has received.
    private(set) var received: [String] = []
    private(set) var pings = 0
    var mayHoldMore = false

    func send(_ bytes: [UInt8]) {
        unread += bytes
        guard hasShakenHands else { return shakeHands() }
        readFrames()
    }

    func takeInput() -> [UInt8] {
        defer { input = [] }
        return input
    }

    var watched: [pollfd] { [] }
    var nextDeadline: Deadline? { nil }
    func advance(_ ready: [pollfd], at now: Deadline.Instant) {}

    func say(_ text: String) {
        input += Self.frame(1, Array(text.utf8))
    }

    func pong() {
        input += Self.frame(10, [])
    }

    static func frame(_ opcode: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length: [UInt8] =
            payload.count < 126
            ? [UInt8(payload.count)] : [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        return [0x80 | opcode] + length + payload
    }

    private func shakeHands() {
        let request = String(decoding: unread, as: UTF8.self)
        guard let key = request.firstMatch(of: /Sec-WebSocket-Key: (.*)\r\n/)?.1 else { return }
        let proof = base64(SHA1.digest(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
        input +=
            answer
            ?? Array(
                """
                HTTP/1.1 101 Switching Protocols\r
                Upgrade: websocket\r
                Connection: Upgrade\r
                Sec-WebSocket-Accept: \(proof)\r
                \r\n
                """.utf8)
        hasShakenHands = true
        unread = []
    }

    /// Frames of a client: masked, and short in these tests.
    private func readFrames() {
        while unread.count >= 6 {
            let short = Int(unread[1] & 0x7F)
            let length = short < 126 ? short : Int(unread[2]) << 8 | Int(unread[3])
            let start = short < 126 ? 2 : 4
            guard unread.count >= start + 4 + length else { return }
            let mask = Array(unread[start..<start + 4])
            let payload = unread[(start + 4)..<(start + 4 + length)].enumerated().map { $1 ^ mask[$0 % 4] }
            switch unread[0] & 0x0F {
            case 1: received.append(String(decoding: payload, as: UTF8.self))
            case 9: pings += 1
            default: break
            }
            unread.removeFirst(start + 4 + length)
        }
    }
}
