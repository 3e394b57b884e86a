/// The client's side of an open WebSocket: bytes in; messages, and bytes to send, out. Pure.
struct WebSocketSession {
    enum Event: Equatable {
        case text([UInt8])
        case binary([UInt8])
        case pong([UInt8])
        /// The server has closed the connection, with its status code and its words.
        case closed(code: UInt16?, reason: String)
    }

    /// A larger message ends the connection.
    static let largestMessage = 1024 * 1024

    private let randomMask: () -> UInt32
    private var input: [UInt8] = []
    /// The frame whose payload is arriving, and how many bytes of it are still to come.
    private var frame: (header: Frame.Header, missing: Int)?
    private var control: [UInt8] = []
    /// The message whose frames are arriving.
    private var message: (opcode: Frame.Opcode, payload: [UInt8], check: UTF8Check)?
    /// Whether a close frame was sent: nothing may follow it.
    private(set) var isClosing = false
    private var isClosed = false
    /// The server's violation of the protocol. Our close frame reports it, and the connection is to be ended.
    private(set) var violation: WebSocketError?
    private var output: [UInt8] = []

    init(randomMask: @escaping () -> UInt32 = { .random(in: 0 ... .max) }) {
        self.randomMask = randomMask
    }

    /// What has to be sent to the server, since the last call.
    mutating func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    mutating func send(_ opcode: Frame.Opcode, _ payload: [UInt8]) {
        guard !isClosing else { return }
        output += Frame.bytes(opcode, payload, mask: randomMask())
        isClosing = opcode == .close
    }

    mutating func close(_ code: UInt16) {
        send(.close, [UInt8(code >> 8), UInt8(code & 0xFF)])
    }

    /// What the bytes complete, up to the first violation.
    mutating func receive(_ bytes: [UInt8]) -> [Event] {
        guard violation == nil, !isClosed else { return [] }
        input += bytes
        var rest = input[...]
        var events: [Event] = []
        do throws(WebSocketError) {
            while try advance(&rest, &events) {}
        } catch {
            violation = error
            if case .violation(let code, _) = error { close(code) }
        }
        input = Array(rest)
        return events
    }

    /// - Returns: whether more can be done with the bytes that are left.
    private mutating func advance(
        _ rest: inout ArraySlice<UInt8>, _ events: inout [Event]
    ) throws(WebSocketError) -> Bool {
        if frame == nil {
            guard let header = try Frame.Header(rest) else { return false }
            try begin(header)
            rest = rest.dropFirst(header.size)
            frame = (header, header.length)
        }
        guard let (header, missing) = frame else { return false }
        let payload = rest.prefix(missing)
        guard !payload.isEmpty || missing == 0 else { return false }
        rest = rest.dropFirst(payload.count)
        frame = (header, missing - payload.count)
        if header.opcode.isControl { control += payload } else { try add(payload) }
        guard missing == payload.count else { return false }
        frame = nil
        if let event = try header.opcode.isControl ? endControl(header.opcode) : endPart(header) {
            events.append(event)
            if case .closed = event { isClosed = true }
        }
        return !isClosed
    }

    private mutating func begin(_ header: Frame.Header) throws(WebSocketError) {
        switch header.opcode {
        case .text, .binary:
            guard message == nil else { throw .wrongProtocol("a message inside another") }
            message = (header.opcode, [], UTF8Check())
        case .continuation:
            guard message != nil else { throw .wrongProtocol("a continuation of nothing") }
        case .close, .ping, .pong: control = []
        }
        // A difference, because the length is any number that the server likes.
        let room = Self.largestMessage - (message?.payload.count ?? 0)
        guard header.opcode.isControl || header.length <= room else { throw .tooLarge }
    }

    private mutating func add(_ payload: ArraySlice<UInt8>) throws(WebSocketError) {
        message?.payload += payload
        if message?.opcode == .text, message?.check.accepts(payload) == false { throw .notUTF8 }
    }

    private mutating func endPart(_ header: Frame.Header) throws(WebSocketError) -> Event? {
        guard header.isFinal, let (opcode, payload, check) = message else { return nil }
        message = nil
        guard opcode == .text else { return .binary(payload) }
        guard check.isComplete else { throw .notUTF8 }
        return .text(payload)
    }

    private mutating func endControl(_ opcode: Frame.Opcode) throws(WebSocketError) -> Event? {
        switch opcode {
        case .pong: return .pong(control)
        case .close: return try endClose()
        default:
            send(.pong, control)
            return nil
        }
    }

    /// Answers a close frame with its own code.
    private mutating func endClose() throws(WebSocketError) -> Event {
        guard control.count != 1 else { throw .wrongProtocol("half a status code") }
        guard control.count >= 2 else {
            send(.close, [])
            return .closed(code: nil, reason: "")
        }
        let code = UInt16(control[0]) << 8 | UInt16(control[1])
        guard Self.mayBeSent(code) else { throw .wrongProtocol("status code \(code)") }
        var check = UTF8Check()
        guard check.accepts(control.dropFirst(2)), check.isComplete else { throw .notUTF8 }
        close(code)
        return .closed(code: code, reason: String(decoding: control.dropFirst(2), as: UTF8.self))
    }

    private static func mayBeSent(_ code: UInt16) -> Bool {
        (1000...1003).contains(code) || (1007...1011).contains(code) || (3000...4999).contains(code)
    }
}
