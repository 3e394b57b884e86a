/// An event on a WebSocket.
enum WebSocketEvent: Equatable {
    case opened
    case text([UInt8])
    case binary([UInt8])
    case pong
    /// This program was suspended: the last messages are old, and so is what has arrived in the meantime.
    case suspended
}

/// The client side of an open WebSocket: received bytes go in, messages and bytes to send come out. Pure.
struct WebSocketSession {
    /// A larger message ends the connection.
    static let largestMessage = 1024 * 1024

    private let randomMask: () -> UInt32
    /// The frame that is arriving.
    private var input: [UInt8] = []
    /// The message whose frames are arriving.
    private var message: (opcode: Frame.Opcode, payload: [UInt8])?
    /// Whether a close frame was sent: nothing follows it, and nothing more is read.
    private(set) var isClosing = false
    /// The server's violation of the protocol: our close frame reports it, and the caller must end the
    /// connection.
    private(set) var violation: Frame.Violation?
    private var output: [UInt8] = []

    init(randomMask: @escaping () -> UInt32 = { .random(in: 0 ... .max) }) {
        self.randomMask = randomMask
    }

    /// Takes the bytes that have to be sent to the server since the last call.
    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    mutating func send(_ opcode: Frame.Opcode, _ payload: [UInt8]) {
        guard !isClosing else { return }
        output += Frame.bytes(opcode, payload, mask: randomMask())
        isClosing = opcode == .close
    }

    /// The events that the received bytes complete, up to the first violation.
    mutating func receive(_ bytes: [UInt8]) -> [WebSocketEvent] {
        guard !isClosing else { return [] }
        input += bytes
        var events: [WebSocketEvent] = []
        var start = 0
        do throws(Frame.Violation) {
            while !isClosing, let header = try Frame.Header(input[start...]) {
                try check(header)
                let payload = input.dropFirst(start + header.size).prefix(header.length)
                guard payload.count == header.length else { break }
                start = payload.endIndex
                if let event = try end(header, payload) { events.append(event) }
            }
        } catch {
            violation = error
            send(.close, error.code.bigEndianBytes)
        }
        input.removeFirst(start)
        return events
    }

    /// Checks what the header alone shows, before the payload arrives.
    private func check(_ header: Frame.Header) throws(Frame.Violation) {
        if header.opcode.isControl { return }
        let isContinuation = header.opcode == .continuation
        if isContinuation, message == nil { throw .wrongProtocol("a continuation of nothing") }
        if !isContinuation, message != nil { throw .wrongProtocol("a message inside another") }
        // A subtraction, because a sum with the server's length could overflow.
        let room = Self.largestMessage - (message?.payload.count ?? 0)
        guard header.length <= room else { throw .tooLarge }
    }

    private mutating func end(
        _ header: Frame.Header, _ payload: ArraySlice<UInt8>
    ) throws(Frame.Violation) -> WebSocketEvent? {
        switch header.opcode {
        case .pong: return .pong
        case .ping: send(.pong, Array(payload))
        case .close: try answerClose(payload)
        case .continuation: message?.payload += payload
        case .text, .binary: message = (header.opcode, Array(payload))
        }
        guard !header.opcode.isControl, header.isFinal, let (opcode, bytes) = message else { return nil }
        message = nil
        if opcode == .binary { return .binary(bytes) }
        guard isUTF8(bytes) else { throw .notUTF8 }
        return .text(bytes)
    }

    /// Answers a close frame with the same code.
    private mutating func answerClose(_ payload: ArraySlice<UInt8>) throws(Frame.Violation) {
        let code = UInt16(bigEndianBytes: payload.prefix(2))
        guard payload.isEmpty || Self.mayBeSent(code) else { throw .wrongProtocol("status code \(code)") }
        guard isUTF8(payload.dropFirst(2)) else { throw .notUTF8 }
        send(.close, Array(payload.prefix(2)))
    }

    private static func mayBeSent(_ code: UInt16) -> Bool {
        (1000...1003).contains(code) || (1007...1011).contains(code) || (3000...4999).contains(code)
    }
}

private func isUTF8(_ bytes: some Sequence<UInt8>) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil
}
