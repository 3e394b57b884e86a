import PipeCommon

/// Keeps a WebSocket open while it is wanted. A lost connection is opened again, with growing pauses if connections
/// cannot be opened or last only a few seconds. A silent server is pinged; if the server stays silent, the connection
/// is ended. An open connection is renewed when a suspension of this program is detected and, if `lifetime` is set,
/// when it reaches this age. `advance` returns the events on the WebSocket.
final class FeedConnection: Polled {
    /// A connection that is open or is being opened.
    private struct Link {
        let stream: any ByteStream
        /// The handshake that is under way; nil once the connection is open.
        var handshake: Handshake?
        var session = WebSocketSession()
        /// The deadline for the answer to the handshake or, after a close frame was sent, for the server to end the
        /// connection; nil at other times.
        var limit: Deadline?
        /// When the connection must be renewed because of its age; nil for no limit.
        let end: Deadline?
        /// Tracks the server's silence while the connection is open.
        var silence: Silence
    }

    /// How long connecting and the handshake may take together.
    static let openingLimit = Duration.seconds(10)
    private static let closingLimit = Duration.seconds(1)

    private let address: WebSocketAddress
    private let silenceLimit: Duration
    private let lifetime: Duration?
    private let connect: (WebAddress) -> any ByteStream
    private let reports: Reports
    private var link: Link?
    private var backoff = RestartBackoff()
    private var start: Deadline
    /// Detects suspensions. While the connection is open, `nextDeadline` is no later than `turns.deadline`.
    private var turns: TurnWatch
    /// Why the connection was lost or not opened; nil if no problem is known.
    private(set) var problem: FetchError? = FetchError(.timeout, "not connected yet")
    /// How far this machine's clock differed from the server's when the latest connection was opened; nil if the clocks
    /// roughly agreed, if the server did not state a valid time, or if no connection has been opened.
    private(set) var clockProblem: String?
    /// Whether the connection is needed. If not, `advance` closes it.
    var isWanted = true

    /// - Parameters:
    ///   - silenceLimit: after half of this time without a message or a pong, the server is pinged; after twice this
    ///     time, the connection counts as dead.
    ///   - lifetime: the maximum age of a connection; nil for no limit.
    ///   - connect: starts to connect to an address and returns the connection without waiting.
    init(
        _ address: WebSocketAddress, silenceLimit: Duration, lifetime: Duration? = nil,
        connect: @escaping (WebAddress) -> any ByteStream,
        at now: Deadline.Instant = .now, reports: Reports
    ) {
        self.address = address
        self.silenceLimit = silenceLimit
        self.lifetime = lifetime
        self.connect = connect
        self.reports = reports
        start = Deadline(now)
        turns = TurnWatch(at: now)
    }

    var isOpen: Bool { link.map { $0.handshake == nil } ?? false }

    /// Why the server must not be contacted now, and for how long; nil if there is no error that requires a pause.
    func refusal(at now: Deadline.Instant) -> FetchError? {
        problem.flatMap { $0.retry == nil ? nil : $0.retrying(after: start.remaining(at: now)) }
    }

    /// When the next attempt to connect is due if the connection is wanted; nil while it is open or being opened.
    var nextAttempt: Deadline? { link == nil ? start : nil }

    /// False if the last `advance` may have left bytes unread that had already arrived on the current connection.
    var isCaughtUp: Bool { link?.stream.mayHoldMore != true }

    /// Sends a message if the connection is open and no close frame was sent.
    func send(_ payload: some Sequence<UInt8>, as opcode: Frame.Opcode = .text) {
        guard isOpen else { return }
        link?.session.send(opcode, Array(payload))
        flush()
    }

    /// Reconnects, with growing pauses if connections last only a few seconds.
    func renew(at now: Deadline.Instant) {
        leave(at: now)
        connectIfDue(at: now)
    }

    func close() {
        link = nil
    }

    // MARK: The poll loop

    var watched: [pollfd] { link?.stream.watched ?? [] }

    var nextDeadline: Deadline? {
        guard let link else { return isWanted ? start : nil }
        let whileOpen = isOpen ? [link.silence.deadline, link.end, turns.deadline] : []
        return ([link.stream.nextDeadline, link.limit] + whileOpen).compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [WebSocketEvent] {
        let wasSuspended = turns.wasSuspended(at: now) && isOpen
        if link != nil, wasSuspended || !isWanted || link?.end?.hasPassed(at: now) == true { leave(at: now) }
        connectIfDue(at: now)
        var events: [WebSocketEvent] = wasSuspended ? [.suspended] : []
        do throws(FetchError) {
            try receive(ready, &events, at: now)
            try checkLimits(at: now)
        } catch {
            lose(error, at: now)
        }
        return events
    }

    private func connectIfDue(at now: Deadline.Instant) {
        guard isWanted, link == nil, start.hasPassed(at: now) else { return }
        backoff.started(at: now)
        if problem?.retry != nil { problem = nil }
        let (stream, handshake) = (connect(address.transport), Handshake())
        stream.send(handshake.request(address))
        link = Link(
            stream: stream, handshake: handshake, limit: Deadline(in: Self.openingLimit, from: now),
            end: lifetime.map { Deadline(in: $0, from: now) }, silence: Silence(limit: silenceLimit, at: now))
    }

    private func receive(
        _ ready: [pollfd], _ events: inout [WebSocketEvent], at now: Deadline.Instant
    ) throws(FetchError) {
        guard var bytes = link?.stream.advance(ready, at: now) else { return }
        if !isOpen {
            guard let rest = try link?.handshake?.receive(bytes, at: .now()) else { return }
            clockProblem = link?.handshake?.clockProblem
            link?.handshake = nil
            link?.limit = nil
            link?.silence.hear(at: now)
            (bytes, problem) = (rest, nil)
            events.append(.opened)
        }
        let heard = link?.session.receive(bytes) ?? []
        if !heard.isEmpty { link?.silence.hear(at: now) }
        events += heard
        flush()
    }

    /// - Throws: the reason why the connection is over.
    private func checkLimits(at now: Deadline.Instant) throws(FetchError) {
        guard let link else { return }
        let isClosing = link.session.isClosing
        if let violation = link.session.violation {
            throw FetchError(.invalidData, "the server sent \(violation.reason)")
        }
        var end = link.limit?.hasPassed(at: now) == true ? "no answer to the handshake" : nil
        if case .ended(let reason) = link.stream.state { end = reason }
        if let end { throw FetchError(.network, isClosing ? "the server closed the connection" : end) }
        if isClosing, link.limit == nil { self.link?.limit = Deadline(in: Self.closingLimit, from: now) }
        guard isOpen else { return }
        if self.link?.silence.isTooLong(at: now) == true {
            throw FetchError(.timeout, "the server is silent")
        }
        if self.link?.silence.wantsSign(at: now) == true { send([], as: .ping) }
    }

    private func flush() {
        guard let output = link?.session.takeOutput(), !output.isEmpty else { return }
        link?.stream.send(output)
    }

    private func lose(_ error: FetchError, at now: Deadline.Instant) {
        leave(at: now)
        if let retry = error.retry { start = max(start, Deadline(in: retry, from: now)) }
        problem = error
        // An error that requires a pause is reported with the first tick that fails with this error.
        if error.retry != nil { return }
        // The kind identifies the problem, because the text of a network error may differ between attempts.
        reports.report(
            .connection(error.kind), of: nil, "\(address.authority): \(error.message); reconnecting",
            end: "\(address.authority): answers again", at: now)
    }

    private func leave(at now: Deadline.Instant) {
        let wasOpen = isOpen
        close()
        start = backoff.ended(at: now, wasOpen: wasOpen)
    }
}

/// Tracks how long a server has been silent. Decides when to request a sign of life from the server, and when to give
/// up the connection. Pure.
///
/// A quiet market looks the same as a dead connection. Therefore, each time `isTooLong` returns true, the allowed
/// silence doubles, up to 5 minutes; an allowed silence of 5 minutes or more stays the same. `hear` restores the
/// initial length of the allowed silence.
struct Silence {
    private static let longest = Duration.seconds(300)

    private let limit: Duration
    private let shortest: Duration
    private var patience: Duration
    private var lastSign: Deadline.Instant
    private var hasAsked = false

    /// - Parameters:
    ///   - limit: after half of this time, `wantsSign` returns true once. The allowed silence is at first twice this
    ///     time, but at least `shortest`.
    ///   - shortest: the minimum of the allowed silence.
    init(limit: Duration, shortest: Duration = .zero, at now: Deadline.Instant) {
        (self.limit, self.shortest, lastSign) = (limit, shortest, now)
        patience = max(limit * 2, shortest)
    }

    /// The earliest time at which `wantsSign` or `isTooLong` can next return true.
    var deadline: Deadline { Deadline(in: hasAsked ? patience : limit / 2, from: lastSign) }

    /// Starts measuring the silence of a new connection.
    mutating func begin(at now: Deadline.Instant) {
        (lastSign, hasAsked) = (now, false)
    }

    mutating func hear(at now: Deadline.Instant) {
        self = Silence(limit: limit, shortest: shortest, at: now)
    }

    mutating func wantsSign(at now: Deadline.Instant) -> Bool {
        guard !hasAsked, now - lastSign >= limit / 2 else { return false }
        hasAsked = true
        return true
    }

    mutating func isTooLong(at now: Deadline.Instant) -> Bool {
        guard now - lastSign >= patience else { return false }
        patience = max(patience, min(patience * 2, Self.longest))
        begin(at: now)
        return true
    }
}
