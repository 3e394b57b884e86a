/// The bytes that a WebSocket server sends and receives.
public enum ServerSide {
    /// The answer that accepts a handshake.
    ///
    /// - Parameter proof: the value of `Sec-WebSocket-Accept`, which is derived from the client's key.
    public static func upgrade(proof: String) -> String {
        """
        HTTP/1.1 101 Switching Protocols\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Accept: \(proof)\r
        \r\n
        """
    }

    /// An unmasked frame, as a server sends it.
    public static func frame(
        _ opcode: UInt8, _ payload: some Collection<UInt8>, isFinal: Bool = true
    ) -> [UInt8] {
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        let length =
            switch payload.count {
            case ...125: bytes(1)
            case ...0xFFFF: [126] + bytes(2)
            default: [127] + bytes(8)
            }
        return [(isFinal ? 0x80 : 0) | opcode] + length + payload
    }

    /// Removes the client's first frame from `unread`. The frame must be masked and shorter than 64 KiB.
    ///
    /// - Returns: the frame's opcode and its unmasked payload; nil if the frame is still incomplete.
    public static func takeFrame(from unread: inout [UInt8]) -> (opcode: UInt8, payload: [UInt8])? {
        guard unread.count >= 6 else { return nil }
        let isLong = unread[1] & 0x7F == 126
        let length = isLong ? Int(unread[2]) << 8 | Int(unread[3]) : Int(unread[1] & 0x7F)
        let start = isLong ? 8 : 6
        guard unread.count >= start + length else { return nil }
        defer { unread.removeFirst(start + length) }
        return (unread[0] & 0x0F, (0..<length).map { unread[start + $0] ^ unread[start - 4 + $0 % 4] })
    }
}
