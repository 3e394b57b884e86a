import Foundation
import Synchronization

/// Binance's push feed on loopback: it accepts every subscription and then sends the given messages as fast as the
/// client reads. Needs openssl for the handshake.
public final class PushServer: Sendable {
    private enum Opcode {
        static let (text, close, ping, pong): (UInt8, UInt8, UInt8, UInt8) = (1, 8, 9, 10)
    }

    public static let isPossible = Programs.has("openssl")

    private let listener: Int32
    private let port: UInt16
    private let encryption: TLSContext?
    private let isClosed = Mutex(false)

    /// - Parameter messages: returns the messages to send next; an empty array for a pause of a millisecond. It is
    ///   called repeatedly once the client has subscribed.
    public init(encryptedBy encryption: TLSContext? = nil, messages: @escaping @Sendable () -> [String]) {
        self.encryption = encryption
        (listener, port) = Loopback.listener()
        Loopback.accept(on: listener) { [weak self] connection in
            guard let self, !isClosed.withLock({ $0 }) else {
                Loopback.end(connection)
                return false
            }
            Thread.detachNewThread { [weak self] in
                self?.serve(connection, messages)
                Loopback.end(connection)
            }
            return true
        }
    }

    deinit { close() }

    public var url: String { encryption == nil ? "ws://127.0.0.1:\(port)/" : "wss://localhost:\(port)/" }

    public func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if !wasClosed { Loopback.stop(listener) }
    }

    /// A message with the price of a market.
    public static func message(_ market: String, _ price: String) -> String {
        let now = Int(Date().timeIntervalSince1970 * 1000)
        return
            #"{"stream":"\#(market.lowercased())@miniTicker","data":{"e":"24hrMiniTicker","E":\#(now),"s":"\#(market)","c":"\#(price)"}}"#
    }

    private func serve(_ connection: Int32, _ messages: @Sendable () -> [String]) {
        // Send each message immediately.
        var isOn: Int32 = 1
        setsockopt(
            connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout.size(ofValue: isOn)))
        guard let wire = Wire(connection, encryption), shakeHands(wire) else { return }
        defer { wire.end() }
        var isSubscribed = false
        while !isClosed.withLock({ $0 }) {
            let next = isSubscribed ? messages() : []
            if !next.isEmpty, !wire.send(next.flatMap { ServerSide.frame(Opcode.text, $0.utf8) }) { return }
            var polled = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, next.isEmpty ? 1 : 0) > 0 else { continue }
            guard let (opcode, payload) = Self.readFrame(wire) else { return }
            switch opcode {
            case Opcode.text:
                isSubscribed = true
                guard wire.send(ServerSide.frame(Opcode.text, #"{"result":null,"id":1}"#.utf8)) else {
                    return
                }
            case Opcode.ping: guard wire.send(ServerSide.frame(Opcode.pong, payload)) else { return }
            case Opcode.close: return
            default: break
            }
        }
    }

    private func shakeHands(_ wire: Wire) -> Bool {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard let byte = wire.receive() else { return false }
            head.append(byte)
        }
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let key =
            lines.first { $0.lowercased().hasPrefix("sec-websocket-key:") }?.split(separator: " ").last ?? ""
        let proof = RunningProgram.shell(
            "printf %s \(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11 | openssl sha1 -binary | openssl base64")
        return wire.send(Array(ServerSide.upgrade(proof: proof.lines.first ?? "").utf8))
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
