import TestSupport
import TestTraits
import Testing

/// Unusual HTTP answers. Valid answers are read as the standard requires, and a body is accepted only if its
/// end is certain.
@Suite(.endToEnd) struct HTTPFramingFaultTests {
    private let fetch = FetchUnderTest()
    private let good = #"{"p":"68901.23"}"#
    private static let notUTF8: [UInt8] =
        Array("HTTP/1.1 200 OK\r\nX-Name: ".utf8) + [0xFC, 0xC3, 0x80, 0xFF, 0x01]
        + Array("\r\nContent-Length: 16\r\n\r\n{\"p\":\"68901.23\"}".utf8)

    @Test(
        .fault(39),
        arguments: [
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n10\r\n{\"p\":\"68901.23\"}\r\n0\r\nX: 1\r\n\r\n",
            "HTTP/1.1 200 OK\nContent-Length: 16\n\n{\"p\":\"68901.23\"}",
            "HTTP/1.1 200 OK\r\nX-Name: \u{FC}\u{1F600}\r\nContent-Length: 16\r\n\r\n{\"p\":\"68901.23\"}",
            "HTTP/1.1 103 Early Hints\r\nContent-Length: 3\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length:16  \r\n\r\n{\"p\":\"68901.23\"}",
            "HTTP/1.1 200\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{\"p\":\"68901.23\"}",
        ].map { Array($0.utf8) } + [notUTF8])
    func `an unusual but valid answer is read as the HTTP standard requires`(answer: [UInt8]) throws {
        let server = StubServer(.raw(answer))
        let running = fetch.startCustom(server.url())
        for tick in 0..<2 { #expect(try running.answer(to: tick).quote?.price.text == "68901.23") }
        #expect(running.finish().status == 0 && server.accepted == 2)
    }

    @Test(.fault(15), arguments: ["+01", "-20", "+2"])
    func `a status that does not consist of three digits causes a network failure`(status: String) throws {
        let server = StubServer(.raw("HTTP/1.1 \(status) OK\r\nContent-Length: 16\r\n\r\n\(good)"))
        let failure = try fetch.startCustom(server.url()).failure()
        #expect(failure.kind == .network && !failure.message.contains("status 1"))
    }

    @Test(
        .fault(39),
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n68901.23",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n68901.23",
            "HTTP/1.1 200 OK\r\n\r\n689", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n68901.23",
            "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nContent-Length: 3\r\n\r\n68901.23",
            "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n689",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n689\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n689",
            "HTTP/1.0 200 OK\r\n\r\n68901.23",
            "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/2 200 OK\r\n\r\n689", "68901.23", "",
        ])
    func `a body is rejected if its end is uncertain, even if the body is complete`(answer: String) throws {
        let server = StubServer(.raw(answer))
        let words = ["--timeout", "4s", "--url", server.url(), "--price", ""]
        let running = RunningProgram("price-fetch", words)
        for tick in 0..<2 {
            let reading = try running.answer(to: tick)
            #expect(reading.quote == nil && reading.failures.map(\.kind) != [.timeout], "\(reading.text)")
        }
        #expect(running.finish().status == 0)
    }

    @Test(.fault(39), .enabled(if: Programs.has("openssl"), "needs openssl"))
    func `an encrypted answer falsely labeled HTTP/2 is rejected if its end is uncertain`() throws {
        let folder = TemporaryFolder()
        folder.write("cut", "HTTP/2 200 OK\r\n\r\n689")
        folder.write("whole", "HTTP/2 200 OK\r\nContent-Length: 8\r\n\r\n68901.23")
        let server = TLSServer("good", files: folder)
        let environment = ["CURL_CA_BUNDLE": Certificates.shared.authority]
        for (file, price) in [("cut", nil), ("whole", "68901.23")] {
            let words = [
                "--timeout", "4s", "--url", "https://localhost:\(server.port)/\(file)", "--price", "",
            ]
            let reading = try RunningProgram("price-fetch", words, environment: environment).answer()
            #expect(reading.quote?.price.text == price, "\(reading.text)")
            #expect(reading.failures.map(\.kind) == (price == nil ? [.invalidData] : []))
        }
    }

    @Test(.fault(39)) func `a URL may contain an IPv6 address or a scheme in capitals`() throws {
        if let server = StubServer.overIPv6(.ok(good)) {
            #expect(try fetch.startCustom("http://[::1]:\(server.port)/").answer().quote != nil)
        }
        let server = StubServer(.ok(good))
        #expect(try fetch.startCustom("HTTP://127.0.0.1:\(server.port)/").answer().quote != nil)
    }

    @Test func `a price is read from a body of up to 64 KiB, and a longer body is rejected`() throws {
        for (padding, isRead) in [(65_536 - good.utf8.count, true), (65_537 - good.utf8.count, false)] {
            let server = StubServer(.ok(String(repeating: " ", count: padding) + good))
            #expect(try (fetch.startCustom(server.url()).answer().quote != nil) == isRead)
        }
    }
}
