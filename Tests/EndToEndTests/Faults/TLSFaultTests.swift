import TestSupport
import TestTraits
import Testing

/// Servers that cannot prove their identity or that stall during the TLS handshake.
@Suite(.endToEnd) struct TLSFaultTests {
    private let fetch = FetchUnderTest()

    private func url(_ server: TLSServer) -> String { "https://localhost:\(server.port)/price.json" }

    @Test(
        .fault(17),
        .enabled(if: FetchUnderTest.hasOpenSSL, "needs openssl"),
        arguments: ["good", "self-signed", "expired", "other"])
    func `a request to an untrusted server fails and is never sent unencrypted`(certificate: String) throws {
        let files = TemporaryFolder()
        files.write("price.json", FetchUnderTest.goodAnswer)
        let server = TLSServer(certificate, files: files)
        let proxy = SilentProxy(to: server.port)
        let url = "https://localhost:\(proxy.port)/price.json"
        let running = fetch.start(url)
        for tick in 0..<2 { #expect(try running.failure(at: tick).kind == .network) }
        // Then the connection began with a handshake, and no request was sent unencrypted
        let received = String(decoding: proxy.received, as: UTF8.self)
        #expect(proxy.received.first == 0x16)
        #expect(!received.contains("price.json") && !received.contains("User-Agent"))
    }

    @Test(
        .fault(17),
        .enabled(if: FetchUnderTest.canTrust, "needs unshare and openssl"),
        arguments: [("expired", "expired"), ("other", "host name"), ("self-signed", "self-signed")])
    func `a bad certificate is rejected, and a good certificate is accepted`(
        certificate: String, message: String
    ) throws {
        let files = TemporaryFolder()
        files.write("price.json", FetchUnderTest.goodAnswer)
        let bad = TLSServer(certificate, files: files)
        let failure = try fetch.startTrusting(url(bad)).failure()
        #expect(failure.kind == .network && failure.message.contains(message))
        let server = TLSServer("good", files: files)
        #expect(try fetch.startTrusting(url(server)).answer().quote?.price.text == "68901.23")
    }

    @Test(.fault(17))
    func `a stalled handshake causes a timeout, and the request is not sent unencrypted`() throws {
        let proxy = SilentProxy()
        let url = "https://localhost:\(proxy.port)/price.json"
        let running = fetch.start(url, timeout: "500ms")
        for tick in 0..<3 {
            let start = ContinuousClock.now
            #expect(try running.failure(at: tick).kind == .timeout)
            #expect(ContinuousClock.now - start < .milliseconds(2500))
        }
        #expect(proxy.received.first == 0x16)
        #expect(!String(decoding: proxy.received, as: UTF8.self).contains("price.json"))
    }
}
