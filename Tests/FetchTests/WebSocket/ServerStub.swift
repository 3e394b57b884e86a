import PipeCommon
import TestSupport

@testable import price_fetch

/// A simulated WebSocket server at the other end of a connection; no network is used. The server answers the
/// handshake, records the text messages that it receives, and sends the messages that the test provides.
final class ServerStub: ByteStream {
    var state = ByteStreamState.connecting
    var mayHoldMore = false
    /// The answer to the handshake, or nil to accept the handshake.
    var answer: String?
    /// The text messages that the server has received.
    private(set) var received: [String] = []
    /// The opcodes of the control frames that the server has received.
    private(set) var controls: [UInt8] = []
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

    func say(_ text: String) { output += ServerSide.frame(1, text.utf8) }

    func control(_ opcode: Frame.Opcode) { output += ServerSide.frame(opcode.rawValue, []) }

    private func shakeHands() {
        let request = String(decoding: unread, as: UTF8.self)
        // A key is the base64 encoding of 16 bytes. The server's clock is decades behind, so that warnings about old
        // prices mention the difference between the clocks.
        guard let key = request.firstMatch(of: /Sec-WebSocket-Key: (.{22}==)\r\n/)?.1 else { return }
        let head = ServerSide.upgrade(proof: Handshake.proof(of: String(key)))
        output += (answer ?? head.replacing("\r\n\r\n", with: "\r\nDate: 6 Nov 1994 08:49 GMT\r\n\r\n")).utf8
        hasShakenHands = true
        unread = []
    }

    private func readFrames() {
        while let (opcode, payload) = ServerSide.takeFrame(from: &unread) {
            if opcode == 1 { received.append(String(decoding: payload, as: UTF8.self)) }
            if opcode >= 8 { controls.append(opcode) }
        }
    }
}
