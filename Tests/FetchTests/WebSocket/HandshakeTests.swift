import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// The opening handshake of a WebSocket, tested with the example from RFC 6455, section 1.3. Other tests cover the
/// SHA-1 digest, the base64 encoding and the URLs that the handshake uses.
@Suite(.unit) struct HandshakeTests {
    private static let nonce = Array("the sample nonce".utf8)
    private static let answer = ServerSide.upgrade(proof: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")

    private func makeSUT() -> Handshake { Handshake(nonce: Self.nonce) }

    private func receive(_ answer: String) throws -> [UInt8]? {
        var sut = makeSUT()
        return try sut.receive(Array(answer.utf8), at: .now())
    }

    private func refusal(_ answer: String) -> FetchError? {
        do { _ = try receive(answer) } catch { return error as? FetchError }
        return nil
    }

    @Test(arguments: [
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (String(repeating: "a", count: 1000), "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
    ])
    func `SHA-1 digests match the results of other implementations`(text: String, digest: String) {
        let bytes = SHA1.digest(Array(text.utf8))
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == digest)
    }

    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"), ("@", "QA=="),
    ])
    func `the base64 encoding matches RFC 4648`(text: String, encoded: String) {
        #expect(base64(Array(text.utf8)) == encoded)
    }

    @Test func `the handshake requests an upgrade to WebSocket and sends the nonce as the key`() {
        let address: WebSocketAddress = "wss://feed.example:9443/stream?streams=a/b"
        let expected = """
            GET /stream?streams=a/b HTTP/1.1\r
            Host: feed.example:9443\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            Sec-WebSocket-Version: 13\r
            User-Agent: btc-price/\(version)\r
            \r\n
            """
        #expect(String(decoding: makeSUT().request(address), as: UTF8.self) == expected)
    }

    @Test func `an answer with a valid proof is accepted, and the bytes that follow are returned`() throws {
        #expect(try receive(Self.answer) == [] && receive(Self.answer + "\u{1}x") == [1, 0x78])
    }

    @Test func `the answer may be split into two pieces at any byte`() throws {
        let answer = Array((Self.answer + "ab").utf8)
        for cut in 1..<answer.count {
            var sut = makeSUT()
            let (early, late) = (Array(answer[..<cut]), Array(answer[cut...]))
            let rest =
                if let first = try sut.receive(early, at: .now()) { first + late } else {
                    try sut.receive(late, at: .now())
                }
            #expect(rest == Array("ab".utf8), "cut at \(cut)")
        }
    }

    @Test(arguments: [
        ("upgrade: WebSocket", "Upgrade: websocket"), ("\r\n:\r\n\r\n", "\r\n\r\n"),
        ("CONNECTION: keep-alive ,Upgrade", "Connection: Upgrade"), ("", " Switching Protocols"),
        (
            "Sec-WebSocket-Accept:s3pPLMBiTxaQ9kYGzzhZRbK+xOo=  ",
            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
        ),
    ])
    func `headers in an unusual form, extra connection options and a missing reason phrase are accepted`(
        line: String, usual: String
    ) throws {
        #expect(try receive(Self.answer.replacing(usual, with: line)) == [])
    }

    @Test func `the date in the answer reveals that this machine's clock is wrong`() throws {
        let dated = Self.answer.replacing("\r\n\r\n", with: "\r\nDate: Sat, 21 Nov 2026 14:03:07 GMT\r\n\r\n")
        var sut = makeSUT()
        _ = try sut.receive(Array(dated.utf8), at: Timestamp("2026-11-21T14:04:08.000Z")!)
        #expect(sut.clockProblem == "this machine's clock is 61 s ahead of the server's")
    }

    @Test func `interim responses are skipped`() throws {
        #expect(try receive("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + Self.answer) == [])
    }

    @Test func `if the server does not upgrade the connection, the failure includes any retry time`() {
        let limited = refusal("HTTP/1.1 429 Slow down\r\nRetry-After:  5 \r\n\r\n")
        let (date, later) = ("Sat, 21 Nov 2026 14:03:07 GMT", "Sat, 21 Nov 2026 14:03:12 GMT")
        let dated = refusal("HTTP/1.1 429 Slow down\r\nDate: \(date)\r\nRetry-After: \(later)\r\n\r\n")
        #expect(limited?.message == "status 429: no upgrade to a WebSocket" && limited?.kind == .rateLimited)
        #expect(limited?.retry == .seconds(5) && dated == limited)
        let useless = refusal("HTTP/1.1 200 OK\r\n\r\n")
        #expect(useless?.message == "no upgrade to a WebSocket" && useless?.kind == .invalidData)
        #expect(refusal("HTTP/1.1 403 No\r\n\r\n")?.concernsSymbol == false)
    }

    @Test(arguments: [
        ("Upgrade: websocket\r\n", "", "the server does not upgrade to WebSocket"),
        ("Upgrade: websocket", "Upgrade: h2c", "the server does not upgrade to WebSocket"),
        ("Connection: Upgrade", "Connection: close", "the server does not upgrade to WebSocket"),
        ("xOo=", "xOp=", "the header Sec-WebSocket-Accept is missing or wrong"),
        ("Sec-WebSocket-Accept", "A", "the header Sec-WebSocket-Accept is missing or wrong"),
        ("\r\n\r\n", "\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n", notOffered),
        ("\r\n\r\n", "\r\nSec-WebSocket-Protocol: chat\r\n\r\n", notOffered),
        ("HTTP/1.1", "HTTP/1.0", "the answer is not HTTP/1.1"), ("101", "+01", "the answer is not HTTP/1.1"),
        ("HTTP/1.1", "SIP/2.0", "the answer is not HTTP/1.1"), ("101", "1011", "the answer is not HTTP/1.1"),
        ("101", "099", "the answer is not HTTP/1.1"),
    ])
    func `answers that are invalid or choose an extension that was not offered are rejected`(
        part: String, changed: String, reason: String
    ) {
        #expect(refusal(Self.answer.replacing(part, with: changed)) == FetchError(.network, reason))
    }

    private static let notOffered = "the server chose an extension or a subprotocol that was not offered"

    @Test(arguments: [
        "HTTP/1.1 101 x\r\n" + String(repeating: "a", count: 65_521),
        String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 3000),
    ])
    func `a header that is too long is rejected, and so are too many interim responses`(answer: String) {
        #expect(refusal(answer) == FetchError(.network, "the header is too large"))
    }

    @Test func `a header of 64 KiB that arrives byte by byte is read within 5 seconds`() throws {
        let filler = String(repeating: "a", count: 65_536 - 30 - Self.answer.utf8.count)
        let answer = "HTTP/1.1 100 Continue\r\nX: \(filler)\r\n\r\n" + Self.answer
        var sut = makeSUT()
        let start = ContinuousClock.now
        #expect(try answer.utf8.compactMap { try sut.receive([$0], at: .now()) } == [[]])
        // Parsing the header from its beginning for each byte would take minutes.
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    @Test(arguments: [
        ("ws://h", "h", "/"), ("wss://h:1/a", "h:1", "/a"), ("WS://[::1]:8122/x?y=z", "[::1]:8122", "/x?y=z"),
        ("wss://ws.postman-echo.com/raw", "ws.postman-echo.com", "/raw"), ("ws://u:p@h?q#f", "h", "/?q"),
    ])
    func `a WebSocket URL is split into scheme, authority and target`(
        url: String, authority: String, target: String
    ) throws {
        let address = try #require(WebSocketAddress(url))
        #expect(address.authority == authority && address.target == target)
        #expect(address.transport.isEncrypted == url.lowercased().hasPrefix("wss"))
    }

    @Test(arguments: ["", "http://h", "https://h", "ws:/h", "ws://", "h", "wsss://h", "ws://a b"])
    func `text that is not a valid WebSocket URL is rejected`(url: String) {
        #expect(WebSocketAddress(url) == nil)
    }
}
