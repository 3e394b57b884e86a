/// What a WebSocket server sends.
public enum ServerSide {
    /// The answer that accepts a handshake.
    ///
    /// - Parameter proof: `Sec-WebSocket-Accept`, which the client's key decides.
    public static func upgrade(proof: String) -> String {
        """
        HTTP/1.1 101 Switching Protocols\r
        Upgrade: websocket\r
        Connection: Upgrade\r
        Sec-WebSocket-Accept: \(proof)\r
        \r\n
        """
    }

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
}
