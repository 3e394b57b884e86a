/// A frame of a WebSocket (RFC 6455, section 5.2): a part of a message, or a control frame.
enum Frame {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    /// The most bytes that a control frame may carry.
    static let largestControl = 125

    /// A whole frame as a client sends it: always masked.
    ///
    /// - Parameter mask: random, different for each frame.
    static func bytes(_ opcode: Opcode, _ payload: [UInt8], mask: UInt32) -> [UInt8] {
        var frame = [0x80 | opcode.rawValue]
        switch payload.count {
        case ...125: frame.append(0x80 | UInt8(payload.count))
        case ...0xFFFF: frame += [0x80 | 126] + bigEndian(UInt16(payload.count))
        default: frame += [0x80 | 127] + bigEndian(UInt64(payload.count))
        }
        let mask = bigEndian(mask)
        return frame + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
    }

    /// The first bytes of a frame that a server has sent.
    struct Header: Equatable {
        let opcode: Opcode
        /// Whether it is the last frame of its message.
        let isFinal: Bool
        /// Of the payload.
        let length: Int
        /// Of the header itself.
        let size: Int

        /// - Returns: nil while bytes are missing.
        init?(_ bytes: ArraySlice<UInt8>) throws(WebSocketError) {
            guard bytes.count >= 2 else { return nil }
            let (first, second) = (bytes[bytes.startIndex], bytes[bytes.startIndex + 1])
            guard first & 0x70 == 0 else { throw .wrongProtocol("a reserved bit is set") }
            guard let opcode = Opcode(rawValue: first & 0x0F) else {
                throw .wrongProtocol("an unknown opcode")
            }
            guard second & 0x80 == 0 else { throw .wrongProtocol("a masked frame") }
            self.opcode = opcode
            isFinal = first & 0x80 != 0
            if opcode.isControl, !isFinal || second > Frame.largestControl {
                throw .wrongProtocol("a control frame that is fragmented or too long")
            }
            let more = [126: 2, 127: 8][second] ?? 0
            size = 2 + more
            guard bytes.count >= size else { return nil }
            let wide = bytes.dropFirst(2).prefix(more).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            guard more == 0 || wide >= (more == 2 ? 126 : 0x1_0000) else {
                throw .wrongProtocol("a length that is not in its shortest form")
            }
            guard let length = Int(exactly: more == 0 ? UInt64(second) : wide) else {
                throw .wrongProtocol("a length with its highest bit set")
            }
            self.length = length
        }
    }
}

private func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
}
