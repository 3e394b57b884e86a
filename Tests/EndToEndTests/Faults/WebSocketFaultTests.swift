import Foundation
import PipeCommon
import TestTraits
import Testing

@testable import TestSupport
@testable import price_fetch

/// Push feed servers that break the protocol, stay silent or lie.
@Suite(.endToEnd) struct WebSocketFaultTests {
    private let marked = MarkedProcesses()

    private func server(_ steps: StubServer.Answer.Step...) -> StubServer {
        .upgrading(steps)
    }

    /// Lets time pass, whatever the client sends meanwhile.
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

    /// Expects that some ticks time out, and that none is late.
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

    @Test(
        .fault(47),
        arguments: [
            ("a masked frame", [0x81, 0x80, 0, 0, 0, 0]), ("a reserved bit", [0xC1, 0x00]),
            ("text that is not UTF-8", [0x81, 0x02, 0xC0, 0x80]),
            ("its highest bit set", [0x81, 0x7F] + Array(repeating: 0xFF, count: 8)),
            ("too large", [1, 1, 0x61, 0x80, 127, 0x7F] + Array(repeating: 0xFF, count: 7)),
            ("closed the connection", [0x88, 0x02, 0x03, 0xE8]), ("reconnecting", [0x81]),
        ] as [(String, [UInt8])])
    func `a broken frame ends the connection, no tick is late, and the feed connects again`(
        problem: String, bytes: [UInt8]
    ) throws {
        let server = server(Self.pause(50), .send(bytes), Self.pause(50), .close)
        let running = start(server)
        try expectTimeouts(running, ticks: 6)
        #expect(server.accepted >= 2 && running.errors(containing: problem))
        #expect(running.finish().status == 0)
    }

    @Test(.fault(47)) func `a price may come in fragments, with a ping between them`() throws {
        let (first, second) = (Self.price.prefix(20), Self.price.dropFirst(20))
        let bytes =
            ServerSide.frame(1, first.utf8, isFinal: false) + ServerSide.frame(9, "ping".utf8)
            + ServerSide.frame(0, second.utf8)
        // The client has subscribed by then.
        let server = server(Self.pause(100), .send(bytes), Self.pause(8000))
        let running = start(server)
        let reading = try running.answer()
        #expect(reading.quote?.price.text == "100.25", "\(reading.text) \(running.errors)")
    }

    @Test(.fault(47))
    func `a server that never answers the upgrade does not delay any tick beyond its deadline`()
        throws
    {
        let server = StubServer(.silence)
        let running = start(server)
        try expectTimeouts(running, ticks: 3)
        #expect(server.accepted == 1)
    }

    @Test(.fault(47), arguments: [(429, Failure.Kind.rateLimited), (403, .denied)])
    func `a server that rejects the upgrade is left alone, and later ticks get the reason`(
        status: Int, kind: Failure.Kind
    ) throws {
        let server = StubServer(.status(status, headers: ["Retry-After: 30"]))
        let running = start(server)
        _ = try running.failure(at: 0)
        for tick in 1..<4 { #expect(try running.failure(at: tick).kind == kind) }
        #expect(server.accepted == 1)
    }

    @Test(.fault(47), .enabled(if: isLinux, "needs /proc"), arguments: ["1,", "[[1]],"])
    func `memory stays small while a feed sends messages of a megabyte`(piece: String) throws {
        let pieces = String(repeating: piece, count: ((1 << 20) - 8) / piece.utf8.count)
        let message = StubServer.Answer.Step.send(Self.text("[\(pieces)1]"))
        let messages = [StubServer.Answer.Step](repeating: message, count: 20)
        let server = StubServer.upgrading([Self.pause(50)] + messages + [Self.pause(8000)])
        let running = start(server)
        try expectTimeouts(running, ticks: 3)
        #expect(running.errors.contains("larger than 256 KiB"))
        let peak = running.peakMemory
        #expect(peak < 40 << 20, "\(peak >> 20) MB")
    }

    @Test(.fault(48)) func `messages about other symbols, or with invalid content, never give a quote`()
        throws
    {
        let messages = [
            #"{"type":"ticker","product_id":"ETH-USD","price":"3.00","time":"\#(Timestamp.now().text)"}"#,
            #"{"type":"news"}"#,
            #"{"type":"ticker","product_id":"BTC-USD","price":"1e5","time":"\#(Timestamp.now().text)"}"#,
            "no JSON",
            #"{"type":"ticker","product_id":"BTC-USD","price":100.25,"time":"\#(Timestamp.now().text)"}"#,
            "[]",
        ]
        let frames = messages.flatMap { Self.text($0) }
        let server = server(Self.pause(100), .send(frames), Self.pause(8000))
        let running = start(server)
        try expectTimeouts(running, ticks: 3)
        // A message that names its market, and one without a name
        #expect(running.errors.split(separator: "\n").count == 2)
    }

    @Test(.fault(53)) func `pongs do not keep the price of a silent feed fresh`() throws {
        let pongs = (0..<40).flatMap { _ in
            [StubServer.Answer.Step.send(ServerSide.frame(10, [])), .wait(.milliseconds(50))]
        }
        let server = StubServer.upgrading([Self.pause(100), .send(Self.text(Self.price))] + pongs)
        let running = start(server, "--max-age", "500ms")
        #expect(try running.isAnswered(by: "coinbase", after: 0))
        running.wait(.milliseconds(500))
        #expect(try running.failure(at: 100).kind == .timeout)
    }

    @Test func `prices that arrived while the program was stopped are not used`() throws {
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
        // The feed has connected again, and its prices have started over.
        let price = try running.nextReading().quote?.price.text ?? "0"
        #expect(Int(price)! < 1000)
        #expect(running.waitUntil(within: .seconds(10)) { server.accepted == 2 })
    }

    @Test(.fault(47)) func `a half-open connection is abandoned, and the feed connects again`() throws {
        let feed = server(Self.pause(100), .send(Self.text(Self.price)), Self.pause(8000))
        let proxy = SilentProxy(to: feed.port)
        let running = start(port: proxy.port, ["--max-age", "500ms"])
        #expect(try running.isAnswered(by: "coinbase", after: 0))
        proxy.fallSilent()
        #expect(
            running.waitUntil(within: .seconds(10)) {
                (try? running.answer(to: 100)) != nil && proxy.accepted >= 2
            })
        proxy.recover()
        #expect(try running.isAnswered(by: "coinbase", after: 200))
    }
}

extension StubServer {
    /// Accepts each handshake, then takes these steps.
    static func upgrading(_ steps: Answer.Step...) -> StubServer { upgrading(steps) }

    fileprivate static func upgrading(_ steps: [Answer.Step]) -> StubServer {
        StubServer { request in
            guard let key = request.headers["sec-websocket-key"] else { return .status(400) }
            let head = ServerSide.upgrade(proof: Handshake.proof(of: key))
            return Answer(steps: [.send(head)] + steps)
        }
    }
}

extension RunningProgram {
    /// The peak memory of the process in bytes. Needs `/proc`.
    fileprivate var peakMemory: Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
        return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }
}
