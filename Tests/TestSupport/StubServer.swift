import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
    private let stream = SOCK_STREAM
#else
    import Glibc
    private let stream = Int32(SOCK_STREAM.rawValue)
#endif

/// A real HTTP server on loopback that answers as it is told: status, delay, body, drip, silence, close.
public final class StubServer: Sendable {
    public struct Request: Sendable {
        public let path: String
        /// Lower-case names.
        public let headers: [String: String]
        /// Counts the connections; two requests on one connection have the same.
        public let connection: Int
    }

    /// What goes over the wire, step by step.
    public struct Answer: Sendable {
        enum Step: Sendable {
            case send(String)
            case wait(Duration)
            case endless
            case close
            case reset
        }

        let steps: [Step]

        public static func ok(_ body: String) -> Answer { status(200, body) }

        public static func status(_ status: Int, _ body: String = "", headers: [String] = []) -> Answer {
            let head = ["HTTP/1.1 \(status) Some Reason", "Content-Length: \(body.utf8.count)"] + headers
            return Answer(steps: [.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)])
        }

        /// The body a byte at a time.
        public static func drip(_ body: String, every pause: Duration) -> Answer {
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            return Answer(steps: [.send(head)] + body.flatMap { [.wait(pause), .send(String($0))] })
        }

        /// Bytes as they are, and then the end of the connection.
        public static func raw(_ text: String) -> Answer { Answer(steps: [.send(text), .close]) }

        /// A body without end.
        public static let endless = Answer(steps: [.send("HTTP/1.1 200 OK\r\n\r\n"), .endless])

        /// The connection ends at once, unread.
        public static let reset = Answer(steps: [.reset])

        public static let silence = Answer(steps: [.wait(.seconds(30)), .close])

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

    /// - Parameters:
    ///   - answers: one a request; the last one goes on.
    ///   - decide: gives the answers instead; then no request is remembered.
    public init(_ answers: Answer..., decide: (@Sendable (Request) -> Answer)? = nil) {
        self.decide = decide
        state = Mutex(State(answers: answers))
        listener = socket(AF_INET, stream, 0)
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        precondition(isListening, "no port on loopback")
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0, let self else { return }
                self.serve(connection)
            }
        }
    }

    deinit {
        close()
    }

    public func url(_ path: String = "/price.json") -> String { "http://127.0.0.1:\(port)\(path)" }

    public var requests: [Request] { state.withLock { $0.requests } }

    /// From the next request on.
    public func answer(with answers: Answer...) {
        state.withLock { $0.answers = answers }
    }

    /// Ends the server and all its connections.
    public func close() {
        state.withLock { state in
            if !state.isClosed { shutdown(listener, Int32(SHUT_RDWR)) }
            if !state.isClosed { closeSocket(listener) }
            state.isClosed = true
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
        }
    }

    private func serve(_ connection: Int32) {
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        let number = state.withLock { state in
            state.connections.append(connection)
            state.accepted += 1
            return state.accepted
        }
        Thread.detachNewThread { [weak self] in
            defer { self?.end(connection) ?? closeSocket(connection) }
            while let request = Self.readRequest(connection, number), let answer = self?.next(request) {
                for step in answer.steps {
                    switch step {
                    case .send(let text): if !Self.send(connection, text) { return }
                    case .wait(let pause): if !Self.wait(connection, pause) { return }
                    case .endless:
                        let piece = String(repeating: "x", count: 1 << 20)
                        while Self.send(connection, piece) {}
                        return
                    case .close: return
                    case .reset:
                        var atOnce = linger(l_onoff: 1, l_linger: 0)
                        setsockopt(
                            connection, SOL_SOCKET, SO_LINGER, &atOnce, socklen_t(MemoryLayout<linger>.size))
                        return
                    }
                }
            }
        }
    }

    private func end(_ connection: Int32) {
        state.withLock { $0.connections.removeAll { $0 == connection } }
        closeSocket(connection)
    }

    private func next(_ request: Request) -> Answer {
        if let decide { return decide(request) }
        return state.withLock { state in
            state.requests.append(request)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
    }

    private static func readRequest(_ connection: Int32, _ number: Int) -> Request? {
        var head: [UInt8] = []
        while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            var byte: UInt8 = 0
            guard recv(connection, &byte, 1, 0) == 1 else { return nil }
            head.append(byte)
        }
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        let fields = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
        let headers = fields.filter { $0.count == 2 }.map {
            ($0[0].lowercased(), $0[1].trimmingCharacters(in: .whitespaces))
        }
        return Request(
            path: lines[0].components(separatedBy: " ")[1], headers: Dictionary(headers) { $1 },
            connection: number)
    }

    private static func send(_ connection: Int32, _ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { sendBytes(connection, $0.baseAddress, $0.count, noSignal) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// - Returns: false when the client has gone before.
    private static func wait(_ connection: Int32, _ pause: Duration) -> Bool {
        var polled = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
        return poll(&polled, 1, Int32(pause / .milliseconds(1))) == 0
    }
}

#if canImport(Darwin)
    private let noSignal: Int32 = 0
#else
    private let noSignal = Int32(MSG_NOSIGNAL)
#endif

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}

private func closeSocket(_ descriptor: Int32) {
    close(descriptor)
}
