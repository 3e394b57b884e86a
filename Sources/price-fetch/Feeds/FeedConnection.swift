import PipeCommon

/// A WebSocket that is kept open while it is wanted: connected again with back-off when it ends, pinged while it is
/// silent, ended when it does not answer, and renewed before the server ends it, or when this program was suspended.
final class FeedConnection: Polled {
    enum Event: Equatable {
        case opened
        case message([UInt8])
        /// This program was suspended: what was last heard is old, and so is what has arrived meanwhile.
        case suspended
    }

    /// How often the loop comes back while it is open, and after what pause the program counts as having been
    /// suspended. What the server has sent meanwhile is old, and more of it may be waiting on the server's side.
    private static let turn = Duration.seconds(1)
    private static let suspension = Duration.seconds(2)
    /// A problem is over when the feed is well and did not have it for this long: longer than a refusal is believed.
    private static let recovery = Duration.seconds(120)

    private let address: WebSocketAddress
    private let silenceLimit: Duration
    private let lifetime: Duration?
    private let connect: (WebAddress) -> any ByteStream
    private let warn: (String) -> Void
    private var client: WebSocketClient?
    private var backoff = RestartBackoff()
    private var start: Deadline
    private var end: Deadline?
    /// When the server was last heard.
    private var lastSign: Deadline.Instant
    private var hasPinged = false
    private var lastTurn: Deadline.Instant
    /// When each kind of problem was last seen.
    private var problems: [String: Deadline.Instant] = [:]
    private var events: ArraySlice<Event> = []
    private(set) var isOpen = false
    /// Why it was lost, or not opened.
    private(set) var problem: FetchError? = FetchError(.timeout, "not connected yet")
    /// Whether somebody listens. Otherwise it is not connected.
    var isWanted = true

    /// - Parameters:
    ///   - silenceLimit: after half of it without a byte the server is pinged; after twice as long the connection counts
    ///     as dead.
    ///   - lifetime: how old a connection may become.
    ///   - connect: opens a connection.
    ///   - warn: reports a problem, when it begins.
    init(
        _ address: WebSocketAddress, silenceLimit: Duration, lifetime: Duration? = nil,
        connect: @escaping (WebAddress) -> any ByteStream = {
            CurlStream($0, connectWithin: WebSocketClient.openingLimit)
        },
        at now: Deadline.Instant = .now, warn: @escaping (String) -> Void
    ) {
        self.address = address
        self.silenceLimit = silenceLimit
        self.lifetime = lifetime
        self.connect = connect
        self.warn = warn
        start = Deadline(now)
        lastSign = now
        lastTurn = now
    }

    /// Whether everything that has arrived was read.
    var isCaughtUp: Bool { client?.isCaughtUp ?? true }

    /// Sends a message, if it is open.
    func send(_ text: String) {
        if isOpen { client?.send(.text, Array(text.utf8)) }
    }

    func nextEvent() -> Event? {
        events.popFirst()
    }

    /// Connects again, and drops what this connection has still to say. A server that makes this necessary again and
    /// again is connected to with back-off.
    func renew(at now: Deadline.Instant) {
        events = []
        leave(at: now)
        connectIfDue(at: now)
    }

    func close() {
        client = nil
        isOpen = false
    }

    // MARK: The poll loop

    var watched: [pollfd] { client?.watched ?? [] }

    var nextDeadline: Deadline? {
        guard let client else { return isWanted ? start : nil }
        let silence = Deadline(in: hasPinged ? silenceLimit * 2 : silenceLimit / 2, from: lastSign)
        let whileOpen = isOpen ? [silence, end, Deadline(in: Self.turn, from: lastTurn)] : []
        return ([client.nextDeadline] + whileOpen).compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) {
        defer { lastTurn = now }
        if !isWanted, client != nil { leave(at: now) }
        if isOpen, now - lastTurn >= Self.suspension {
            renew(at: now)
            events.append(.suspended)
        }
        connectIfDue(at: now)
        guard let client else { return }
        client.advance(ready, at: now)
        if client.state == .open, !isOpen { open(at: now) }
        for event in client.takeEvents() { receive(event, at: now) }
        if case .ended(let error) = client.state { return lose(FetchError(error, at: .now()), at: now) }
        guard isOpen else { return }
        checkLife(of: client, at: now)
        if let end, end.hasPassed(at: now) { renew(at: now) }
    }

    private func connectIfDue(at now: Deadline.Instant) {
        guard isWanted, client == nil, start.hasPassed(at: now) else { return }
        backoff.started(at: now)
        if problem?.retry != nil { problem = nil }
        client = WebSocketClient(address, over: connect(address.transport), at: now)
        (hasPinged, lastSign) = (false, now)
        end = lifetime.map { Deadline(in: $0, from: now) }
    }

    private func open(at now: Deadline.Instant) {
        isOpen = true
        problem = nil
        lastSign = now
        events.append(.opened)
    }

    private func receive(_ event: WebSocketSession.Event, at now: Deadline.Instant) {
        lastSign = now
        hasPinged = false
        switch event {
        case .text(let bytes), .binary(let bytes): events.append(.message(bytes))
        case .pong, .closed: break
        }
    }

    private func checkLife(of client: WebSocketClient, at now: Deadline.Instant) {
        let silence = now - lastSign
        if silence >= silenceLimit * 2 {
            lose(FetchError(.timeout, "the server is silent"), at: now)
        } else if silence >= silenceLimit / 2, !hasPinged {
            hasPinged = true
            client.send(.ping, [])
        }
    }

    private func lose(_ error: FetchError, at now: Deadline.Instant) {
        leave(at: now)
        if let retry = error.retry { start = max(start, Deadline(in: retry, from: now)) }
        problem = error
        report(error.message, "\(address.authority): \(error.message); reconnecting", at: now)
    }

    private func leave(at now: Deadline.Instant) {
        close()
        start = backoff.ended(at: now)
    }

    // MARK: Reports

    /// Reports a problem when it begins.
    func report(_ kind: String, _ text: String, at now: Deadline.Instant) {
        if problems.updateValue(now, forKey: kind) == nil { warn(text) }
    }

    /// The feed is well.
    func recordHealth(at now: Deadline.Instant) {
        if problems.isEmpty { return }
        problems = problems.filter { now - $0.value < Self.recovery }
    }
}
