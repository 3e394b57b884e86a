import PipeCommon
import TestSupport

@testable import price_fetch

/// A WebSocket server at the other end of a connection, without a network: answers the handshake, records what it is
/// sent, and says what it is told to say.
final class ServerStub: ByteStream {
    var state = ByteStreamState.connecting
    var mayHoldMore = false
    /// The answer to the handshake, in place of the usual one.
    var answer: String?
    /// The text messages that it has received.
    private(set) var received: [String] = []
    private var output: [UInt8] = []
    private var unread: [UInt8] = []
    private var hasShakenHands = false

    let watched: [pollfd] = []
    let nextDeadline: Deadline? = nil

    func send(_ bytes: [UInt8]) {
        unread += bytes
        if hasShakenHands { readFrames() }
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [UInt8] {
        guard state == .open else { return [] }
        if !hasShakenHands { shakeHands() }
        defer { output = [] }
        return output
    }

    func say(_ text: String) {
        output += ServerSide.frame(1, text.utf8)
    }

    func pong() {
        output += ServerSide.frame(10, [])
    }

    private func shakeHands() {
        let request = String(decoding: unread, as: UTF8.self)
        guard let key = request.firstMatch(of: /Sec-WebSocket-Key: (.*)\r\n/)?.1 else { return }
        output += (answer ?? ServerSide.upgrade(proof: Handshake.proof(of: String(key)))).utf8
        hasShakenHands = true
        unread = []
    }

    /// Frames of a client: masked, and short in these tests.
    private func readFrames() {
        while unread.count >= 6 {
            let isLong = unread[1] & 0x7F == 126
            let length = isLong ? Int(unread[2]) << 8 | Int(unread[3]) : Int(unread[1] & 0x7F)
            let start = isLong ? 8 : 6
            let mask = Array(unread[(start - 4)..<start])
            let payload = unread.dropFirst(start).prefix(length).enumerated().map { $1 ^ mask[$0 % 4] }
            if unread[0] & 0x0F == 1 { received.append(String(decoding: payload, as: UTF8.self)) }
            unread.removeFirst(start + length)
        }
    }
}
