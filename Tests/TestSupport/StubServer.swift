import Foundation
import Synchronization

/// A real HTTP server on loopback with prepared answers. An answer may be late, arrive byte by byte, never come, or end
/// with a closed connection.
public final class StubServer: Sendable {
    public struct Request: Sendable {
        public let path: String
        /// The request's headers by lowercase name.
        public let headers: [String: String]
        /// The number of the connection, starting at 1. Requests on the same connection share this number.
        public let connection: Int
    }

    /// The server's reaction to a request, step by step.
    public struct Answer: Sendable {
        enum Step: Sendable {
            case send([UInt8])
            case wait(Duration)
            case endless(String)
            /// Bytes that bypass TLS on an encrypted connection.
            case sendBare([UInt8])
            /// Steps to perform after a pause, unless the next request arrives first.
            case whileIdle(Duration, [Step])
            case reset
            case close
            case call(@Sendable () -> Void)
            /// Code that takes over the connection, which is closed when the code returns.
            case serve(@Sendable (Wire) -> Void)

            static func send(_ text: String) -> Step { .send(Array(text.utf8)) }
        }

        let steps: [Step]

        public static func ok(_ body: String) -> Answer { status(200, body) }

        public static func status(_ status: Int, _ body: String = "", headers: [String] = []) -> Answer {
            ok(Array(body.utf8), status: status, headers: headers)
        }

        /// An answer whose body may contain any bytes.
        public static func ok(_ body: [UInt8], status: Int = 200, headers: [String] = []) -> Answer {
            let head = ["HTTP/1.1 \(status) Some Reason", "Content-Length: \(body.count)"] + headers
            return Answer(steps: [.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body)])
        }

        /// Sends the body one byte at a time, with a pause before each byte. The header is sent in the same way if
        /// `withHeader` is true, and otherwise in one piece.
        public static func drip(_ body: String, every pause: Duration, withHeader: Bool = false) -> Answer {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            let (whole, dripping) = withHeader ? ("", head + body) : (head, body)
            return Answer(steps: [.send(whole)] + dripping.utf8.flatMap { [.wait(pause), .send([$0])] })
        }

        /// Sends the text unchanged; the connection stays open.
        public static func send(_ text: String) -> Answer { Answer(steps: [.send(text)]) }

        /// Sends the text unchanged; then the connection is closed.
        public static func raw(_ text: String) -> Answer { Answer(steps: [.send(text), .close]) }

        public static func raw(_ bytes: [UInt8]) -> Answer { Answer(steps: [.send(bytes), .close]) }

        /// Sends the text unchanged; then the connection is reset.
        public static func reset(after text: String = "") -> Answer {
            Answer(steps: [.send(text), .wait(.milliseconds(50)), .reset])
        }

        /// A valid header, followed by an endless body.
        public static let endless = endless("HTTP/1.1 200 OK\r\n\r\n", "x")

        /// Sends the start of an answer and then repeats a piece until the connection ends.
        public static func endless(_ start: String, _ piece: String) -> Answer {
            let pieces = String(repeating: piece, count: (1 << 20) / piece.utf8.count)
            return Answer(steps: [.send(start), .endless(pieces)])
        }

        public static let silence = Answer(steps: [.wait(.seconds(30)), .close])

        /// After this answer and a pause, sends the text unsolicited.
        public func unasked(_ text: String, after pause: Duration) -> Answer {
            Answer(steps: steps + [.wait(pause), .send(text)])
        }

        /// Calls `call` after a delay and then answers; if another request arrives on the connection during the delay,
        /// answers immediately and does not call `call`.
        public func after(_ delay: Duration, ifAlone call: @escaping @Sendable () -> Void) -> Answer {
            Answer(steps: [.whileIdle(delay, [.call(call)])] + steps)
        }

        /// Calls `call` after the last byte has been sent.
        public func then(_ call: @escaping @Sendable () -> Void) -> Answer {
            Answer(steps: steps + [.call(call)])
        }

        public func after(_ delay: Duration) -> Answer { Answer(steps: [.wait(delay)] + steps) }
    }

    private struct State {
        var answers: [Answer]
        var requests: [Request] = []
        var connections: [Int32] = []
        var accepted = 0
        var isClosed = false
    }

    public let port: UInt16
    private let listener: Int32
    private let state: Mutex<State>
    private let decide: (@Sendable (Request) -> Answer)?
    private let encryption: TLSContext?

    /// - Parameters:
    ///   - host: the address to listen at; nil for 127.0.0.1. At another address, the server uses a port that was also
    ///     free at 127.0.0.1.
    ///   - answers: one answer per request; the last answer is repeated.
    ///   - encryption: the TLS context; nil to serve without TLS.
    ///   - decide: returns the answer to each request, in place of `answers`; requests are then not recorded.
    public convenience init(
        at host: String? = nil, _ answers: Answer..., encryptedBy encryption: TLSContext? = nil,
        decide: (@Sendable (Request) -> Answer)? = nil
    ) {
        let listener = host.map(Loopback.listenerOnFreePort) ?? Loopback.listener()!
        self.init(answers, decide, listener, encryption)
    }

    /// A server at the IPv6 loopback address; nil on a machine without IPv6.
    public static func overIPv6(_ answers: Answer...) -> StubServer? {
        Loopback.listener(at: "::1").map { StubServer(answers, nil, $0) }
    }

    private init(
        _ answers: [Answer], _ decide: (@Sendable (Request) -> Answer)?, _ listener: (Int32, UInt16),
        _ encryption: TLSContext? = nil
    ) {
        self.decide = decide
        self.encryption = encryption
        state = Mutex(State(answers: answers))
        (self.listener, port) = listener
        Loopback.accept(on: self.listener) { [weak self] connection in
            self?.serve(connection) ?? Loopback.end(connection)
            return self != nil
        }
    }

    deinit { close() }

    public func url(_ path: String = "/price.json") -> String { "http://127.0.0.1:\(port)\(path)" }

    /// How many connections were accepted.
    public var accepted: Int { state.withLock { $0.accepted } }

    public var requests: [Request] { state.withLock { $0.requests } }

    /// Replaces the answers, from the next request on.
    public func answer(with answers: Answer...) {
        state.withLock { $0.answers = answers }
    }

    /// Ends the server and all its connections.
    public func close() {
        state.withLock { state in
            if !state.isClosed { Loopback.stop(listener) }
            state.isClosed = true
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private func serve(_ connection: Int32) {
        let number = state.withLock { state in
            state.connections.append(connection)
            state.accepted += 1
            return state.accepted
        }
        Thread.detachNewThread { [weak self] in
            defer { self?.end(connection) ?? Loopback.end(connection) }
            guard let wire = Wire(connection, self?.encryption) else { return }
            defer { wire.end() }
            while let request = Self.readRequest(wire, number), let answer = self?.next(request) {
                for step in answer.steps where !Self.perform(step, on: wire) { return }
            }
        }
    }

    /// - Returns: whether the connection continues.
    private static func perform(_ step: Answer.Step, on wire: Wire) -> Bool {
        switch step {
        case .send(let bytes): return wire.send(bytes)
        case .sendBare(let bytes): return Loopback.sendAll(wire.socket, bytes)
        case .wait(let pause): return wait(wire.socket, pause)
        case .whileIdle(let pause, let steps):
            return !wait(wire.socket, pause) || steps.allSatisfy { perform($0, on: wire) }
        case .endless(let piece):
            let bytes = Array(piece.utf8)
            while wire.send(bytes) {}
            return false
        case .reset:
            Loopback.resetAtEnd(wire.socket)
            return false
        case .close: return false
        case .call(let call):
            call()
            return true
        case .serve(let serve):
            serve(wire)
            return false
        }
    }

    private func end(_ connection: Int32) {
        state.withLock { $0.connections.removeAll { $0 == connection } }
        Loopback.end(connection)
    }

    private func next(_ request: Request) -> Answer {
        if let decide { return decide(request) }
        return state.withLock { state in
            state.requests.append(request)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
    }

    private static func readRequest(_ wire: Wire, _ number: Int) -> Request? {
        guard let lines = wire.receiveHead() else { return nil }
        let fields = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
        let headers = fields.filter { $0.count == 2 }.map {
            ($0[0].lowercased(), $0[1].trimmingCharacters(in: .whitespaces))
        }
        return Request(
            path: lines[0].components(separatedBy: " ")[1], headers: Dictionary(headers) { $1 },
            connection: number)
    }

    /// - Returns: false if the client sends anything or disconnects during the pause.
    private static func wait(_ connection: Int32, _ pause: Duration) -> Bool {
        var polled = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, Int32(pause / .milliseconds(1))) == 0
    }
}
