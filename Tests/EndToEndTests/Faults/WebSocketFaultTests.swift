import Foundation
import PipeCommon
import TestTraits
import Testing

@testable import TestSupport
@testable import price_fetch

/// Push feed servers that refuse the WebSocket upgrade, break the protocol, stay silent or send huge messages; and a
/// `price-fetch` that is stopped for a while.
@Suite(.endToEnd) struct WebSocketFaultTests {
    private let marked = MarkedProcesses()

    private func server(_ steps: StubServer.Answer.Step...) -> StubServer { .upgrading(steps) }

    /// A step that waits for this number of milliseconds, even if the client sends something in the meantime.
    private static func pause(_ milliseconds: UInt32) -> StubServer.Answer.Step {
        .call { usleep(milliseconds * 1000) }
    }

    private func start(_ server: StubServer, _ words: String...) -> RunningProgram {
        start(port: server.port, words)
    }

    private func start(port: UInt16, _ words: [String]) -> RunningProgram {
        RunningProgram(
            "price-fetch",
            ["--push", "--timeout", "300ms", "--url", "ws://127.0.0.1:\(port)/"] + words + ["coinbase"],
            environment: marked.environment)
    }

    /// Sends this many ticks and expects that each of them times out, neither early nor late.
    private func expectTimeouts(_ running: RunningProgram, ticks: Int) throws {
        for tick in 0..<ticks {
            let start = Deadline.Instant.now
            #expect(try running.failure(at: tick).kind == .timeout)
            #expect((.milliseconds(290)...(.seconds(2))).contains(Deadline.Instant.now - start))
        }
    }

    private static func text(_ text: String) -> [UInt8] { ServerSide.frame(1, text.utf8) }

    private static let price =
        #"{"type":"ticker","product_id":"BTC-USD","price":"100.25","time":"\#(Timestamp.now().text)"}"#

    @Test(.fault(47))
    func `after a broken frame or a close frame, the feed reports the problem and reconnects`() throws {
        let frames: KeyValuePairs<String, [UInt8]> = [
            "a masked frame": [0x81, 0x80, 0, 0, 0, 0], "a reserved bit": [0xC1, 0x00],
            "text that is not UTF-8": [0x81, 0x02, 0xC0, 0x80],
            "its highest bit set": [0x81, 0x7F] + Array(repeating: 0xFF, count: 8),
            "a message that is too large": [1, 1, 0x61, 0x80, 127, 0x7F] + Array(repeating: 0xFF, count: 7),
            "closed the connection": [0x88, 0x02, 0x03, 0xE8], "reconnecting": [0x81],
        ]
        let feeds = frames.map { problem, bytes in
            let server = server(Self.pause(50), .send(bytes), Self.pause(50), .close)
            return (problem, server, start(server))
        }
        for tick in 0..<6 {
            let start = Deadline.Instant.now
            for (_, _, running) in feeds { running.write("{\"tick\":\(tick)}\n") }
            for (_, _, running) in feeds {
                #expect(try running.nextReading().failures.map(\.kind) == [.timeout])
                #expect((.milliseconds(290)...(.seconds(2))).contains(Deadline.Instant.now - start))
            }
        }
        for (problem, server, running) in feeds {
            #expect(server.accepted >= 2 && running.errors(containing: problem))
            #expect(running.finish().status == 0)
        }
    }

    @Test(
        .fault(47), arguments: zip([nil, 429, 403], [Failure.Kind.timeout, .rateLimited, .denied]))
    func `if a server does not upgrade a connection, the feed waits before a retry`(
        status: Int?, kind: Failure.Kind
    ) throws {
        let server = StubServer(status.map { .status($0, headers: ["Retry-After: 30"]) } ?? .silence)
        let running = start(server)
        for tick in 0..<4 {
            let start = Deadline.Instant.now
            let failure = try running.failure(at: tick)
            #expect(tick == 0 || failure.kind == kind)
            #expect(Deadline.Instant.now - start < .seconds(2))
        }
        #expect(server.accepted == 1)
    }

    @Test(.fault(47), .enabled(if: isLinux, "needs /proc"), arguments: ["1,", "[[1]],"])
    func `memory stays below 40 MiB while a feed sends messages of a megabyte`(piece: String) throws {
        let pieces = String(repeating: piece, count: ((1 << 20) - 8) / piece.utf8.count)
        let message = StubServer.Answer.Step.send(Self.text("[\(pieces)1]"))
        let messages = [StubServer.Answer.Step](repeating: message, count: 20)
        let server = StubServer.upgrading([Self.pause(50)] + messages + [Self.pause(8000)])
        let running = start(server)
        try expectTimeouts(running, ticks: 3)
        #expect(running.errors.contains("larger than 256 KiB"))
        let peak = marked.peakMemory(of: running.process)
        #expect(peak < 40 << 20, "\(peak >> 20) MiB")
    }

    @Test(.fault(73)) func `prices that arrived while the program was stopped are not used`() throws {
        let numbers = (1...10_000).map { number in
            let text =
                #"{"type":"ticker","sequence":\#(number),"product_id":"BTC-USD","price":"\#(number)","time":"\#(Timestamp.now().text)"}"#
            return StubServer.Answer.Step.send(Self.text(text))
        }
        let paced = numbers.flatMap { [$0, .wait(.milliseconds(1))] }
        let server = StubServer.upgrading([Self.pause(100)] + paced)
        let running = start(server)
        #expect(try running.isAnswered(by: "coinbase", after: 0))
        running.signal(SIGSTOP)
        running.wait(.milliseconds(2500))
        running.write("{\"tick\":100}\n")
        running.signal(SIGCONT)
        // The feed has connected again, and the server has started again with its first price.
        #expect(Int(try running.nextReading().quote?.price.text ?? "0")! < 1000)
        #expect(running.waitUntil { server.accepted == 2 })
    }

    @Test(.fault(47)) func `a half-open connection is abandoned, and the feed connects again`() throws {
        let feed = server(Self.pause(100), .send(Self.text(Self.price)), Self.pause(8000))
        let proxy = SilentProxy(to: feed.port)
        let running = start(port: proxy.port, ["--max-age", "500ms"])
        #expect(try running.isAnswered(by: "coinbase", after: 0))
        proxy.fallSilent()
        running.wait(.milliseconds(600))
        #expect(try running.failure(at: 100).kind == .timeout)
        // When the proxy forwards new connections again
        proxy.recover()
        #expect(try running.isAnswered(by: "coinbase", after: 200))
        #expect(proxy.accepted >= 2)
    }
}

extension StubServer {
    /// A server that accepts each WebSocket handshake and then performs these steps.
    static func upgrading(_ steps: Answer.Step...) -> StubServer { upgrading(steps) }

    fileprivate static func upgrading(_ steps: [Answer.Step]) -> StubServer {
        StubServer { request in
            guard let key = request.headers["sec-websocket-key"] else { return .status(400) }
            let head = ServerSide.upgrade(proof: Handshake.proof(of: key))
            return Answer(steps: [.send(head)] + steps)
        }
    }
}
