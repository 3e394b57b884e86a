import PipeCommon
import Synchronization
import TestSupport
import TestTraits
import Testing

/// Connections that are kept open for the next request, and bytes that arrive on them in the meantime.
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
    func `extra bytes after an answer are never used as the next answer`(
        version: String, unasked: String
    ) throws {
        for pause in [20, 0] {
            // Given a server that sends extra bytes shortly after each answer or together with it
            let said = Mutex(0)
            let server = StubServer { request in
                .send(raw("6\(request.connection)0", version)).unasked(unasked, after: .milliseconds(pause))
                    .then { said.withLock { $0 += 1 } }
            }
            let running = fetch.startCustom(server.url())
            for tick in 1...3 {
                // Then a tick that comes after those bytes is answered over a new connection
                #expect(try running.answer(to: tick).quote?.price.text == "6\(tick)0")
                #expect(running.waitUntil(within: .seconds(5)) { said.withLock { $0 } == tick })
                running.wait(.milliseconds(pause * 3))
            }
            #expect(running.finish().status == 0 && server.accepted == 3)
        }
    }

    @Test(.fault(37), .enabled(if: canEncrypt, "needs openssl"), arguments: [nil, "good"])
    func `concurrent requests never share a falsely labeled HTTP/2 connection`(certificate: String?) throws {
        // Given a server that speaks HTTP/1.1 but labels its answers HTTP/2
        let asked = Mutex(0)
        let alone = Mutex(0)
        let server = StubServer(encryptedBy: certificate.flatMap { TLSContext($0) }) { _ in
            asked.withLock { $0 += 1 }
            return .send("HTTP/2 200 OK\r\nContent-Length: 9\r\n\r\n{\"p\":\"1\"}")
                .after(.milliseconds(30), ifAlone: { alone.withLock { $0 += 1 } })
        }
        let running = startTrusting(
            "\(certificate == nil ? "http" : "https")://localhost:\(server.port)/")
        // When four ticks come at the same time in each of four beats
        for beat in 0..<4 {
            for tick in 0..<4 { running.write("{\"tick\":\(beat * 4 + tick)}\n") }
            for _ in 0..<4 { #expect(try running.nextReading().quote != nil) }
        }
        // Then no request is sent on a connection while another request on it is unanswered
        #expect(alone.withLock { $0 } == asked.withLock { $0 })
    }

    @Test(.fault(37), .enabled(if: canEncrypt, "needs openssl"))
    func `a second answer in the same TLS record is not used for the next tick`() throws {
        // Given a server that sends a header, and then the body together with another answer
        let server = StubServer(encryptedBy: TLSContext("good")) { [self] request in
            let answer = raw("\(request.connection)000.00")
            let (head, body) = (answer.prefix { $0 != "{" }, answer.drop { $0 != "{" })
            return .send(String(head)).unasked(body + raw("3000.00"), after: .milliseconds(50))
        }
        let running = startTrusting("https://localhost:\(server.port)/")
        // Then each tick is answered over a new connection
        for tick in 1...2 {
            #expect(try running.answer(to: tick).quote?.price.text == "\(tick)000.00")
            running.wait(.milliseconds(100))
        }
    }

    private static let canEncrypt = TLSContext.isAvailable && FetchUnderTest.hasOpenSSL

    private func startTrusting(_ url: String) -> RunningProgram {
        RunningProgram(
            "price-fetch", ["--timeout", "4s", "--url", url, "--price", "/p"],
            environment: ["SSL_CERT_FILE": Certificates.shared.authority])
    }

    @Test(.fault(18)) func `a connection that is closed while idle is replaced without a failure`() throws {
        let server = StubServer(.raw(FetchUnderTest.goodAnswer))
        let running = fetch.start(server.url(), timeout: "4s")
        #expect(try running.answer(to: 0).quote != nil)
        running.wait(.milliseconds(300))
        let start = ContinuousClock.now
        #expect(try running.answer(to: 1).quote != nil)
        #expect(ContinuousClock.now - start < .seconds(2))
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test(.fault(18), arguments: [StubServer.Answer.raw(""), .reset()])
    func `a reused connection that is closed or reset is replaced`(ending: StubServer.Answer) throws {
        // Given a server that answers the first request on each connection and ends the connection on the
        // second request
        let seen = Mutex<Set<Int>>([])
        let server = StubServer { request in
            seen.withLock { $0.insert(request.connection).inserted } ? .quote : ending
        }
        let running = fetch.start(server.url(), timeout: "4s")
        let start = ContinuousClock.now
        for tick in 0..<14 { #expect(try running.answer(to: tick).quote != nil) }
        #expect(ContinuousClock.now - start < .seconds(4))
    }
}
