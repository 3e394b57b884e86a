import Foundation
import PipeCommon
import Synchronization
import TestSupport
import TestTraits
import Testing

/// Connections that are kept for the next request, and events on them in the meantime.
@Suite(.endToEnd) struct IdleConnectionFaultTests {
    private let fetch = FetchUnderTest()

    private func raw(_ price: String, _ version: String = "HTTP/1.1") -> String {
        let body = #"{"p":"\#(price)"}"#
        return "\(version) 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    @Test(
        .fault(37),
        arguments: ["HTTP/1.1", "HTTP/2"],
        [
            "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"p\":\"3000.00\"}",
            "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            "HTTP/1.1 429 Slow Down\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nConte", "\r\n", "junk",
        ])
    func `bytes after an answer are never taken for the next answer, and every tick is answered`(
        version: String, unasked: String
    ) throws {
        for pause in [20, 0] {
            // Given a server that sends more bytes after each answer, or together with it
            let said = Mutex(0)
            let server = StubServer { request in
                .send(raw("6\(request.connection)0", version)).unasked(unasked, after: .milliseconds(pause))
                    .then { said.withLock { $0 += 1 } }
            }
            let running = fetch.startCustom(server.url())
            for tick in 1...3 {
                // When a tick comes after those bytes, it gets the answer of a new connection
                #expect(try running.answer(to: tick).quote?.price.text == "6\(tick)0")
                #expect(running.waitUntil(within: .seconds(5)) { said.withLock { $0 } == tick })
                running.wait(.milliseconds(pause * 3))
            }
            #expect(running.finish().status == 0 && server.accepted == 3)
        }
    }

    @Test(
        .fault(37), .enabled(if: TLSContext.isAvailable && FetchUnderTest.hasOpenSSL, "needs openssl"),
        arguments: [nil, "good"])
    func `a request does not share its connection, even if the server calls its answers HTTP/2`(
        certificate: String?
    ) throws {
        // Given a server that only calls its answers HTTP/2
        let asked = Mutex(0)
        let alone = Mutex(0)
        let server = StubServer(encryptedBy: certificate.flatMap { TLSContext($0) }) { _ in
            asked.withLock { $0 += 1 }
            return .send("HTTP/2 200 OK\r\nContent-Length: 9\r\n\r\n{\"p\":\"1\"}")
                .after(.milliseconds(30), ifAlone: { alone.withLock { $0 += 1 } })
        }
        let url = "\(certificate == nil ? "http" : "https")://localhost:\(server.port)/"
        let running = RunningProgram(
            "price-fetch", ["--timeout", "4s", "--url", url, "--price", "/p"],
            environment: ["SSL_CERT_FILE": Certificates.shared.authority])
        // When several ticks come together, again and again
        for beat in 0..<4 {
            for tick in 0..<4 { running.write("{\"tick\":\(beat * 4 + tick)}\n") }
            for _ in 0..<4 { #expect(try running.nextReading().quote != nil) }
        }
        // Then no request is sent behind another request
        #expect(alone.withLock { $0 } == asked.withLock { $0 })
    }

    @Test(.fault(37), .enabled(if: FetchUnderTest.hasOpenSSL, "needs openssl"))
    func `a second answer in the same TLS record is not taken for the next one`() throws {
        // Given a server that sends each piece of its input as one TLS record
        let port = Loopback.freePort()
        let named = "\(Certificates.shared.folder.path)/good"
        let words = [
            "-quiet", "-accept", "127.0.0.1:\(port)", "-cert", "\(named).pem", "-key", "\(named).key",
        ]
        let server = RunningProgram("openssl", ["s_server"] + words)
        #expect(server.waitUntil(within: .seconds(10)) { Loopback.isListening(port) })
        let running = RunningProgram(
            "price-fetch", ["--timeout", "4s", "--url", "https://localhost:\(port)/", "--price", "/p"],
            environment: ["SSL_CERT_FILE": Certificates.shared.authority])
        running.write("{\"tick\":1}\n")
        skipRequest(server)
        // When it sends a header and then the body together with another answer
        let answer = raw("1000.00")
        let (head, body) = (answer.prefix { $0 != "{" }, answer.drop { $0 != "{" })
        server.write(String(head))
        running.wait(.milliseconds(50))
        server.write(body + raw("3000.00"))
        #expect(try running.nextReading().quote?.price.text == "1000.00")
        // Then the next tick gets the answer of a new connection
        running.write("{\"tick\":2}\n")
        skipRequest(server)
        server.write(raw("2000.00"))
        #expect(try running.nextReading().quote?.price.text == "2000.00")
    }

    /// Reads a request that arrived over TLS, up to the end of its header.
    private func skipRequest(_ server: RunningProgram) {
        while let line = server.readLine(within: .seconds(4)), line != "\r" {}
    }

    @Test(.fault(18), arguments: [0, 300])
    func `a stale connection is replaced immediately, without a failure`(idle: Int) throws {
        // The server closes a connection on its second request, or while it is idle.
        let closing = StubServer.Answer.raw(FetchUnderTest.goodAnswer)
        let server = idle == 0 ? StubServer(.quote, .raw(""), .quote) : StubServer(closing)
        let running = fetch.start(server.url(), timeout: "4s")
        #expect(try running.answer(to: 0).quote != nil)
        running.wait(.milliseconds(idle))
        let start = ContinuousClock.now
        #expect(try running.answer(to: 1).quote != nil)
        #expect(ContinuousClock.now - start < .seconds(2))
        #expect(server.requests.first?.connection == 1 && server.requests.last?.connection == 2)
    }

    @Test(.fault(18), arguments: [StubServer.Answer.raw(""), .reset()])
    func `every stale connection is replaced, however often that happens`(ending: StubServer.Answer)
        throws
    {
        // Given a server that ends each connection on its second request
        let seen = Mutex<Set<Int>>([])
        let server = StubServer { request in
            seen.withLock { $0.insert(request.connection).inserted } ? .quote : ending
        }
        let running = fetch.start(server.url(), timeout: "4s")
        for tick in 0..<14 { #expect(try running.answer(to: tick).quote != nil) }
    }
}
