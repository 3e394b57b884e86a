import PipeCommon

/// A WebSocket that is kept open: connected again with back-off when it ends, pinged while it is silent, ended when it
/// does not answer, and renewed before the server ends it.
final class FeedConnection: Polled {
    enum Event: Equatable {
        case opened
        case message([UInt8])
        /// Nothing but a sign of life.
        case alive
    }

    private let address: WebSocketAddress
    private let silenceLimit: Duration
    private let lifetime: Duration?
    private let connect: (WebAddress) -> any ByteStream
    private let warn: (String) -> Void
    private var client: WebSocketClient?
    private var isOpen = false
    private var backoff = RestartBackoff()
    private var start: Deadline
    private var end: Deadline?
    /// When the server was last heard.
    private var lastSign: Deadline.Instant
    private var hasPinged = false
    private var reported = ChangeFilter()
    private var events: [Event] = []
    /// Why it is not open; nil while it is.
    private(set) var problem: FetchError? = FetchError(.timeout, "not connected yet")

    /// - Parameters:
    ///   - silenceLimit: after half of it without a sign of life the server is asked for one; after twice as long the
    ///     connection counts as dead.
    ///   - lifetime: how old a connection may become.
    ///   - connect: opens a connection.
    ///   - warn: reports that the feed is lost, when that begins.
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
    }

    /// Sends a message, if it is open.
    func send(_ text: String) {
        if isOpen { client?.send(.text, Array(text.utf8)) }
    }

    func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Connects again: the server has asked for it, or the connection is too old. A server that asks again and again is
    /// connected to with back-off.
    func renew(at now: Deadline.Instant) {
        guard isOpen else { return }
        close()
        start = backoff.ended(at: now)
        connectIfDue(at: now)
    }

    func close() {
        client = nil
        isOpen = false
    }

    // MARK: The poll loop

    var watched: [pollfd] { client?.watched ?? [] }

    var nextDeadline: Deadline? {
        guard let client else { return start }
        let silence =
            isOpen ? Deadline(in: hasPinged ? silenceLimit * 2 : silenceLimit / 2, from: lastSign) : nil
        return [client.nextDeadline, silence, end].compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) {
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
        guard client == nil, start.hasPassed(at: now) else { return }
        backoff.started(at: now)
        client = WebSocketClient(address, over: connect(address.transport), at: now)
        (isOpen, hasPinged, lastSign) = (false, false, now)
        end = lifetime.map { Deadline(in: $0, from: now) }
    }

    private func open(at now: Deadline.Instant) {
        isOpen = true
        problem = nil
        lastSign = now
        _ = reported.changed(to: nil)
        events.append(.opened)
    }

    private func receive(_ event: WebSocketSession.Event, at now: Deadline.Instant) {
        lastSign = now
        hasPinged = false
        switch event {
        case .text(let bytes), .binary(let bytes): events.append(.message(bytes))
        case .pong: events.append(.alive)
        case .closed: break
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
        close()
        start = backoff.ended(at: now)
        if let retry = error.retry { start = max(start, Deadline(in: retry, from: now)) }
        problem = error
        if let message = reported.changed(to: error.message) {
            warn("\(address.authority): \(message); reconnecting")
        }
    }
}
