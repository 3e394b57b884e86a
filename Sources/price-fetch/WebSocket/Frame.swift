/// A WebSocket frame (RFC 6455, section 5.2): a part of a message, or a control frame.
enum Frame {
    enum Opcode: UInt8 {
        case continuation, text, binary
        case close = 8
        case ping, pong

        var isControl: Bool { rawValue >= 8 }
    }

    /// How the server has violated the protocol.
    struct Violation: Error, Equatable {
        /// The status code for our close frame (RFC 6455, section 7.4.1).
        let code: UInt16
        let reason: String

        static func wrongProtocol(_ reason: String) -> Violation { Violation(code: 1002, reason: reason) }
        static let notUTF8 = Violation(code: 1007, reason: "text that is not UTF-8")
        static let tooLarge = Violation(code: 1009, reason: "a message that is too large")
    }

    /// A whole frame as a client sends it: always masked.
    ///
    /// - Parameter mask: random, different for each frame.
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
        /// Whether it is the last frame of its message.
        let isFinal: Bool
        /// The length of the payload, in bytes.
        let length: Int
        /// The size of the header itself, in bytes.
        let size: Int

        /// - Returns: nil while bytes are missing.
        init?(_ bytes: ArraySlice<UInt8>) throws(Violation) {
            guard bytes.count >= 2 else { return nil }
            let (first, second) = (bytes[bytes.startIndex], bytes[bytes.startIndex + 1])
            guard first & 0x70 == 0 else { throw .wrongProtocol("a reserved bit is set") }
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
    /// The bytes in network order, the most significant first.
    var bigEndianBytes: [UInt8] {
        stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
    }

    init(bigEndianBytes bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self($1) }
    }
}
