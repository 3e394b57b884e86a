import PipeCommon

/// One WebSocket over one connection, from connecting to the close: messages in and out.
final class WebSocketClient: Polled {
    enum State: Equatable {
        case opening
        case open
        case ended(WebSocketError)

        var isOver: Bool { self != .opening && self != .open }
    }

    /// How long connecting and the handshake may take.
    static let openingLimit = Duration.seconds(10)
    /// How long the server may take to end the connection after a close frame of ours.
    private static let closingLimit = Duration.seconds(1)

    private let address: WebSocketAddress
    private let stream: any ByteStream
    private var handshake: Handshake
    private var hasAsked = false
    private var session = WebSocketSession()
    /// Of the opening, and later of the close.
    private var limit: Deadline
    private(set) var state = State.opening
    private var events: [WebSocketSession.Event] = []

    init(
        _ address: WebSocketAddress, over stream: any ByteStream,
        nonce: [UInt8] = (0..<16).map { _ in .random(in: 0 ... .max) }, at now: Deadline.Instant
    ) {
        self.address = address
        self.stream = stream
        handshake = Handshake(nonce: nonce)
        limit = Deadline(in: Self.openingLimit, from: now)
    }

    /// Whether everything that has arrived was read.
    var isCaughtUp: Bool { !stream.mayHoldMore }

    func send(_ opcode: Frame.Opcode, _ payload: [UInt8]) {
        session.send(opcode, payload)
        flush()
    }

    /// Messages, pongs and the server's close, since the last call.
    func takeEvents() -> [WebSocketSession.Event] {
        defer { events = [] }
        return events
    }

    // MARK: The poll loop

    var watched: [pollfd] { state.isOver ? [] : stream.watched }

    var nextDeadline: Deadline? {
        guard !state.isOver else { return nil }
        let ours = state == .opening || session.isClosing ? limit : nil
        return [stream.nextDeadline, ours].compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) {
        guard !state.isOver else { return }
        stream.advance(ready, at: now)
        if stream.state == .open, !hasAsked {
            hasAsked = true
            stream.send(handshake.request(address))
        }
        let wasClosing = session.isClosing
        do throws(WebSocketError) { try receive(stream.takeInput()) } catch {
            state = .ended(error)
            return
        }
        flush()
        if session.isClosing, !wasClosing { limit = Deadline(in: Self.closingLimit, from: now) }
        if let violation = session.violation {
            state = .ended(violation)
        } else if case .ended(let reason) = stream.state {
            state = .ended(
                session.isClosing ? .closed : state == .opening ? .notOpened(reason) : .lost(reason))
        } else if limit.hasPassed(at: now), state == .opening || session.isClosing {
            state = .ended(session.isClosing ? .closed : .notOpened("no answer to the handshake"))
        }
    }

    private func receive(_ bytes: [UInt8]) throws(WebSocketError) {
        guard state == .opening else {
            events += session.receive(bytes)
            return
        }
        guard let rest = try handshake.receive(bytes) else { return }
        state = .open
        events += session.receive(rest)
    }

    private func flush() {
        guard state == .open else { return }
        let output = session.takeOutput()
        if !output.isEmpty { stream.send(output) }
    }
}
