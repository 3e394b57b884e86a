/// An event on a WebSocket.
enum WebSocketEvent: Equatable {
    case opened
    case text([UInt8])
    case binary([UInt8])
    case pong
    /// This program was suspended: messages that arrived before or during the suspension are old.
    case suspended
}

/// The client side of an open WebSocket. Turns received bytes into events and outgoing messages into bytes. Pure.
struct WebSocketSession {
    /// The maximum size of a message, in bytes. A larger message ends the connection.
    static let largestMessage = 1024 * 1024

    private let randomMask: () -> UInt32
    /// The bytes of the frame that is arriving.
    private var input: [UInt8] = []
    /// The message whose frames are arriving.
    private var message: (opcode: Frame.Opcode, payload: [UInt8])?
    /// Whether a close frame was sent. After that, no further frames are sent, and received bytes are ignored.
    private(set) var isClosing = false
    /// The server's violation of the protocol or of our limit for the size of messages, which our close frame reports;
    /// the caller must end the connection. Nil if there was no violation.
    private(set) var violation: Frame.Violation?
    private var output: [UInt8] = []

    init(randomMask: @escaping () -> UInt32 = { .random(in: 0 ... .max) }) {
        self.randomMask = randomMask
    }

    /// Returns the bytes that must be sent to the server. Each byte is returned only once.
    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    mutating func send(_ opcode: Frame.Opcode, _ payload: [UInt8]) {
        guard !isClosing else { return }
        output += Frame.bytes(opcode, payload, mask: randomMask())
        isClosing = opcode == .close
    }

    /// Receives bytes and returns the events that these bytes complete, up to the first close frame or violation.
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

    /// Checks a frame by its header alone, so that an invalid frame can be rejected before its payload arrives.
    private func check(_ header: Frame.Header) throws(Frame.Violation) {
        if header.opcode.isControl { return }
        let isContinuation = header.opcode == .continuation
        if isContinuation, message == nil { throw .wrongProtocol("a continuation without a message") }
        if !isContinuation, message != nil { throw .wrongProtocol("a message inside another message") }
        // Subtracts, because adding the length that the server states could overflow.
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

    /// Answers a valid close frame with the same status code, if the frame contains one.
    private mutating func answerClose(_ payload: ArraySlice<UInt8>) throws(Frame.Violation) {
        let code = UInt16(bigEndianBytes: payload.prefix(2))
        guard payload.isEmpty || Self.mayBeSent(code) else { throw .wrongProtocol("the status code \(code)") }
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

/// A WebSocket frame (RFC 6455, section 5.2): a part of a message, or a control frame.
enum Frame {
    enum Opcode: UInt8 {
        case continuation, text, binary
        case close = 8
        case ping, pong

        var isControl: Bool { rawValue >= 8 }
    }

    /// How the server violated the protocol or exceeded our limit for the size of messages.
    struct Violation: Error, Equatable {
        /// The status code for our close frame (RFC 6455, section 7.4.1).
        let code: UInt16
        let reason: String

        static func wrongProtocol(_ reason: String) -> Violation { Violation(code: 1002, reason: reason) }
        static let notUTF8 = Violation(code: 1007, reason: "text that is not UTF-8")
        static let tooLarge = Violation(code: 1009, reason: "a message that is too large")
    }

    /// The bytes of a whole frame. A client's frames are always masked.
    ///
    /// - Parameter mask: a new random number for each frame.
    static func bytes(_ opcode: Opcode, _ payload: [UInt8], mask: UInt32) -> [UInt8] {
        var frame = [0x80 | opcode.rawValue]
        switch payload.count {
        case ...125: frame.append(0x80 | UInt8(payload.count))
        case ...0xFFFF: frame += [0x80 | 126] + UInt16(payload.count).bigEndianBytes
        default: frame += [0x80 | 127] + UInt64(payload.count).bigEndianBytes
        }
        let mask = mask.bigEndianBytes
        return frame + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    /// The header of a frame from a server.
    struct Header {
        let opcode: Opcode
        /// Whether the frame is the last of its message.
        let isFinal: Bool
        /// The length of the payload, in bytes.
        let length: Int
        /// The size of the header itself, in bytes.
        let size: Int

        /// - Returns: nil if the header is not complete yet.
        init?(_ bytes: ArraySlice<UInt8>) throws(Violation) {
            guard bytes.count >= 2 else { return nil }
            let (first, second) = (bytes[bytes.startIndex], bytes[bytes.startIndex + 1])
            guard first & 0x70 == 0 else { throw .wrongProtocol("a frame with a reserved bit set") }
            guard let opcode = Opcode(rawValue: first & 0x0F) else {
                throw .wrongProtocol("an unknown opcode")
            }
            guard second & 0x80 == 0 else { throw .wrongProtocol("a masked frame") }
            self.opcode = opcode
            isFinal = first & 0x80 != 0
            if opcode.isControl, !isFinal || second > 125 {
                throw .wrongProtocol("a control frame that is fragmented or too long")
            }
            let (more, least): (Int, UInt64) =
                second < 126 ? (0, 0) : second == 126 ? (2, 126) : (8, 0x1_0000)
            size = 2 + more
            guard bytes.count >= size else { return nil }
            let wide = more == 0 ? UInt64(second) : UInt64(bigEndianBytes: bytes.dropFirst(2).prefix(more))
            guard wide >= least else {
                throw .wrongProtocol("a length that is not in its shortest form")
            }
            guard let length = Int(exactly: wide) else {
                throw .wrongProtocol("a length with its highest bit set")
            }
            self.length = length
        }
    }
}

extension FixedWidthInteger {
    /// The bytes in network order: the most significant byte comes first.
    var bigEndianBytes: [UInt8] {
        stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }

    init(bigEndianBytes bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self($1) }
    }
}
