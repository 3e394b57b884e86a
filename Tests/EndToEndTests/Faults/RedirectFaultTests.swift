import TestSupport
import TestTraits
import Testing

/// Redirects, which are never followed.
@Suite(.endToEnd) struct RedirectFaultTests {
    private let fetch = FetchUnderTest()

    @Test(.fault(12), arguments: [301, 302, 303, 307, 308])
    func `a redirect is never followed, whatever its target is`(status: Int) throws {
        // Given redirects to the same server, to other places and without a target
        let other = StubServer(.quote)
        let server = StubServer(.silence)
        let running = fetch.start(server.url())
        let places = [
            ["Location: \(server.url())"], ["Location: /price.json"], ["Location: \(other.url())"],
            ["Location: http://localhost:\(other.port)/price.json"], ["Location: //127.0.0.1:\(other.port)/"],
            ["Location: "], ["Location: file:///etc/passwd"], [],
        ]
        // Then each redirect causes a failure, and no other request is sent
        for (tick, headers) in places.enumerated() {
            server.answer(with: .status(status, FetchUnderTest.goodBody, headers: headers))
            let failure = try running.failure(at: tick)
            #expect(failure.kind == .invalidData && failure.message == "status \(status)", "\(headers)")
        }
        #expect(server.requests.count == places.count && other.requests.isEmpty)
    }

    @Test(.fault(12), .enabled(if: FetchUnderTest.canTrust, "needs unshare and openssl"))
    func `a redirect from HTTPS to HTTP is not followed`() throws {
        let other = StubServer(.quote)
        let files = TemporaryFolder()
        files.write("price", "HTTP/1.1 302 Found\r\nLocation: \(other.url())\r\nContent-Length: 0\r\n\r\n")
        let server = TLSServer("good", files: files)
        let url = "https://localhost:\(server.port)/price"
        let failure = try fetch.startTrusting(url).failure()
        #expect(failure.kind == .invalidData && failure.message == "status 302")
        #expect(other.requests.isEmpty)
    }
}
