import Foundation

/// An imitation of Binance's push feed on loopback. It accepts every subscription and then sends the given messages as
/// fast as the client reads. Needs openssl for the handshake.
public final class PushServer: Sendable {
    private enum Opcode {
        static let (text, close, ping, pong): (UInt8, UInt8, UInt8, UInt8) = (1, 8, 9, 10)
    }

    public static let isPossible = Programs.has("openssl")

    private let server: StubServer

    /// - Parameter messages: returns the messages to send next, or an empty array for a pause of a
    ///   millisecond. After the client has subscribed, the closure is called repeatedly.
    public init(messages: @escaping @Sendable () -> [String]) {
        server = StubServer { request in
            let key = (request.headers["sec-websocket-key"] ?? "") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            let proof = RunningProgram.shell("printf %s \(key) | openssl sha1 -binary | openssl base64")
            let upgrade = ServerSide.upgrade(proof: proof.lines.first ?? "")
            return StubServer.Answer(steps: [.send(upgrade), .serve { Self.serve($0, messages) }])
        }
    }

    public var url: String { "ws://127.0.0.1:\(server.port)/" }

    public func close() { server.close() }

    /// A message with the given price and the current time, for a market such as `BTCUSDT`.
    public static func message(_ market: String, _ price: String) -> String {
        let now = Int(Date().timeIntervalSince1970 * 1000)
        return
            #"{"stream":"\#(market.lowercased())@miniTicker","data":{"e":"24hrMiniTicker","E":\#(now),"s":"\#(market)","c":"\#(price)"}}"#
    }

    private static func serve(_ wire: Wire, _ messages: @Sendable () -> [String]) {
        var isSubscribed = false
        while true {
            let next = isSubscribed ? messages() : []
            if !next.isEmpty, !wire.send(next.flatMap { ServerSide.frame(Opcode.text, $0.utf8) }) { return }
            var polled = pollfd(fd: wire.socket, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, next.isEmpty ? 1 : 0) > 0 else { continue }
            guard let (opcode, payload) = readFrame(wire) else { return }
            switch opcode {
            case Opcode.text:
                isSubscribed = true
                let answer = ServerSide.frame(Opcode.text, #"{"result":null,"id":1}"#.utf8)
                guard wire.send(answer) else { return }
            case Opcode.ping: guard wire.send(ServerSide.frame(Opcode.pong, payload)) else { return }
            case Opcode.close: return
            default: break
            }
        }
    }

    private static func readFrame(_ wire: Wire) -> (opcode: UInt8, payload: [UInt8])? {
        var bytes: [UInt8] = []
        while let byte = wire.receive() {
            bytes.append(byte)
            if let frame = ServerSide.takeFrame(from: &bytes) { return frame }
        }
        return nil
    }
}
