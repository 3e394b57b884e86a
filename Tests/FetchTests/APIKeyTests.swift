import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// CryptoCompare's key is sent only over connections that nobody else can read, and it is never printed.
@Suite(.unit) struct APIKeyTests {
    private func key(_ text: String?) -> APIKey {
        APIKey("CRYPTOCOMPARE_API_KEY", scheme: "Apikey") { $0 == "CRYPTOCOMPARE_API_KEY" ? text : nil }
    }

    private func makeSUT(
        _ text: String, _ client: HTTPClientStub, at url: WebAddress? = nil,
        warn: @escaping (String) -> Void = { _ in }
    ) -> HTTPFeed {
        var source = url.map(PriceSource.cryptoCompare.asked(at:)) ?? .cryptoCompare
        source.key = key(text)
        return HTTPFeed(source, client: client, now: { anyTime() }, reports: Reports(warn: warn))
    }

    @Test(arguments: [
        "https://min-api.cryptocompare.com/x", "https://192.0.2.1/", "http://127.0.0.1:8000/",
        "http://127.9.8.7/", "http://localhost/", "HTTP://LOCALHOST/", "http://[::1]:8000/",
    ])
    func `the key is sent over https or to a loopback address`(url: String) throws {
        let url = try #require(WebAddress(url))
        #expect(try key("!s3cret~").headers(for: url) == ["authorization": "Apikey !s3cret~"])
        #expect(key("s3cret").warning(for: url) == nil)
    }

    @Test(arguments: [
        "http://min-api.cryptocompare.com/x", "http://192.0.2.1/", "http://127.example.com/",
        "http://128.0.0.1/", "http://127.0.0.1.example.com/", "http://127.0.0.1@example.com/",
        "http://[::2]/", "http://localhost.example/", "http://127.0.0.example/", "http://127.0.0.1./",
    ])
    func `the key is not sent where others could read it, and a warning is printed once`(url: String) throws {
        var warnings: [String] = []
        let client = HTTPClientStub(status: 500, "")
        let url = try #require(WebAddress(url))
        let sut = makeSUT("s3cret", client, at: url) { warnings.append($0) }
        for symbol in ["BTC-USD", "ETH-USD", "BTC-USD"] { _ = sut.reading(for: anyTick(symbol: symbol)) }
        #expect(client.requests.map(\.headers) == [[:], [:], [:]])
        let words = "CRYPTOCOMPARE_API_KEY is not sent to \(url.host): use https or a loopback address"
        #expect(warnings == ["cryptocompare: \(words)"])
    }

    @Test(arguments: ["s3cret!\r", "s3cret!\r\n", " s3cret!", "\ts3cret! \n"])
    func `white space around the key is ignored`(text: String) {
        let client = HTTPClientStub("{}")
        _ = makeSUT(text, client).reading(for: anyTick())
        #expect(client.requests.map(\.headers) == [["authorization": "Apikey s3cret!"]])
    }

    @Test(arguments: [nil, "", " \r\n"]) func `without a key, the Authorization header is not sent`(
        text: String?
    ) throws {
        #expect(try key(text).headers(for: "https://x/") == [:])
        #expect(key(text).warning(for: "http://x/") == nil)
    }

    @Test(arguments: ["s3\r\ncret", "s3 cret", "s3cr\u{E9}t", "s3\u{7F}cret"])
    func `if the key contains a character that is not allowed in a header, ticks fail without a request`(
        text: String
    ) throws {
        var warnings: [String] = []
        let client = HTTPClientStub("{}")
        let sut = makeSUT(text, client) { warnings.append($0) }
        for _ in 0..<3 {
            let failures = try #require(sut.reading(for: anyTick())).failures
            let message = "CRYPTOCOMPARE_API_KEY contains a character not allowed in a header"
            #expect(failures.map(\.kind) == [.denied] && failures.map(\.message) == [message])
        }
        #expect(warnings == [] && client.requests.isEmpty)
    }

    @Test(arguments: ["", String(repeating: "x", count: 81)])
    func `the key is removed from a server's message before the message is truncated`(words: String) throws {
        let client = HTTPClientStub(status: 401, #"{"Message":"s3cret\u0301\#(words)Invalid key s3cret"}"#)
        let failures = try #require(makeSUT("s3cret", client).reading(for: anyTick())).failures
        #expect(failures.map(\.message) == ["status 401: ...\u{301}\(words)Invalid key ..."])
    }
}
