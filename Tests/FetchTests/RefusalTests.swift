import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Answers without a price: the kind of the failure, and the server's own message.
@Suite(.unit) struct RefusalTests {
    private func refusal(_ source: PriceSource, _ status: Int, _ body: String) -> FetchError? {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        do throws(FetchError) {
            _ = try source.quote(in: response, at: anyTime())
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (PriceSource.binance, 400, #"{"code":-1121,"msg":"Invalid symbol."}"#, "status 400: Invalid symbol."),
        (.binance, 400, #"{"code":-1220,"msg":"Closed"}"#, "status 400: Closed"),
        (.binance, 400, #"{"code":-1100,"msg":"Illegal characters"}"#, "status 400: Illegal characters"),
        (.coinbase, 404, #"{"message":"NotFound"}"#, "status 404: NotFound"),
        (.coinbase, 404, #"{"message":"Route not found"}"#, "status 404: Route not found"),
        // ccxt/ccxt#14280, for WLUNA-USDT
        (
            .coinbase, 400, #"{"message":"Not allowed for delisted products"}"#,
            "status 400: Not allowed for delisted products"
        ),
        (.bitstamp, 404, "<html>", "status 404"),
        (.kraken, 200, #"{"error":["EQuery:Unknown asset pair"]}"#, "EQuery:Unknown asset pair"),
        (
            .cryptoCompare, 200, Payload.cryptoCompareUnknown,
            "Coinbase market does not exist for this coin pair (BTC-XYZ)"
        ),
    ])
    func `a symbol that the source does not know is unsupported for at least a minute`(
        source: PriceSource, status: Int, body: String, message: String
    ) {
        let expected = FetchError(.unsupported, message, retry: .seconds(60)).with(status: status)
        #expect(refusal(source, status, body) == expected)
    }

    @Test(
        .fault(13),
        arguments: [
            (PriceSource.kraken, #"{"error":["EAPI:Rate limit exceeded"]}"#, "EAPI:Rate limit exceeded"),
            (.kraken, #"{"error":["EGeneral:Too many requests"]}"#, "EGeneral:Too many requests"),
            (.kraken, #"{"error":["EService:Throttled: 1737685911"]}"#, "EService:Throttled: 1737685911"),
            (.kraken, #"{"error":["EGeneral:Temporary lockout"]}"#, "EGeneral:Temporary lockout"),
            (
                .cryptoCompare, Payload.cryptoCompareError,
                "You are over your rate limit please upgrade your account!"
            ),
            (.cryptoCompare, #"{"Response":"Error","Message":"Slow down","Type":99}"#, "Slow down"),
            (.cryptoCompare, #"{"Response":"Error","Message":"Rate limit hit","Type":1}"#, "Rate limit hit"),
        ])
    func `a rate limit with status 200 is recognized`(
        source: PriceSource, body: String, message: String
    ) {
        #expect(
            refusal(source, 200, body)
                == FetchError(.rateLimited, message).with(status: 200))
    }

    @Test(
        .fault(9),
        arguments: [
            (PriceSource.kraken, #"{"error":["EGeneral:Internal error"]}"#, "EGeneral:Internal error"),
            (.kraken, #"{"error":[7]}"#, "an error without a message"),
            (.cryptoCompare, #"{"Response":"Error"}"#, "an error without a message"),
            (
                .cryptoCompare, #"{"Data":{},"Err":{"type":2,"message":"API key required"}}"#,
                "the answer has no /RAW/FROMSYMBOL: API key required"
            ),
            (
                .binance, #"{"code":-1121,"msg":"Invalid symbol."}"#,
                "the answer has no /symbol: Invalid symbol."
            ),
        ])
    func `any other error with status 200 is invalid data, with the source's message`(
        source: PriceSource, body: String, message: String
    ) {
        let refusal = refusal(source, 200, body)
        #expect(refusal?.kind == .invalidData && refusal?.message == message && refusal?.retry == nil)
    }

    @Test(arguments: ["EService:Unavailable", "EService:Busy"])
    func `a temporarily unavailable exchange is a network failure for all symbols`(error: String) {
        let refusal = refusal(.kraken, 200, #"{"error":["\#(error)"]}"#)
        #expect(refusal?.kind == .network && refusal?.message == error && refusal?.concernsSymbol == false)
    }

    @Test(.fault(13), arguments: [#""400.002""#, #""400.067""#, #""400.068""#, "400.002"])
    func `Bitstamp's rate limits have status 400 and a code`(code: String) {
        let body = #"{"status":"error","reason":"Too many requests.","response_code":\#(code)}"#
        let expected = FetchError(
            .rateLimited, "status 400: Too many requests."
        ).with(status: 400)
        #expect(refusal(.bitstamp, 400, body) == expected)
        let other = #"{"status":"error","reason":"Price is too low.","response_code":"400.021"}"#
        #expect(refusal(.bitstamp, 400, other)?.kind == .invalidData)
    }

    @Test func `Bitstamp answers a request for an unknown pair with the list of all markets`() throws {
        // Recorded in September 2026; the real list has 80 KB.
        let row =
            #"{"timestamp":"1789455809","last":"77265","side":"1","market_type":"PERPETUAL","pair":"BTC/USD-PERP"}"#
        let list = "[\(Array(repeating: row, count: 800).joined(separator: ","))]"
        let expected = FetchError(.unsupported, "the answer is an array", retry: .seconds(60)).with(
            status: 200)
        #expect(refusal(.bitstamp, 200, list) == expected)
        #expect(refusal(.bitstamp, 200, "[]")?.kind == .invalidData)
        #expect(try PriceSource.bitstamp.request(.bitcoin).largestBody > list.utf8.count)
    }

    @Test(
        .fault(10),
        arguments: [
            (PriceSource.kraken, "PAX-GUSD"), (.bitstamp, "PAX-GUSD"), (.binance, "PAX-GUSD"),
            (.binance, "PAXGU-SDT"), (.kraken, "BA-TUSD"), (.bitstamp, "BA-TUSD"), (.kraken, "XETH-ZUSD"),
        ])
    func `a symbol that only splits another market's name differently is unsupported`(
        source: PriceSource, symbol: String
    ) throws {
        let client = HTTPClientStub(nil)
        let sut = HTTPFeed(source, client: client, now: { anyTime() }, reports: Reports())
        let failures = try #require(sut.reading(for: anyTick(symbol: symbol))).failures
        let code = symbol.split(separator: "-")[1]
        #expect(failures.map(\.kind) == [.unsupported] && client.requests.isEmpty)
        #expect(failures.first?.message == "\(code) is not among the known currencies of its markets")
    }

    @Test func `no currency code ends with another one, so a name without a separator is unambiguous`() {
        let known = QuoteCurrencies.usual
        for code in known { #expect(!known.contains { $0 != code && code.hasSuffix($0) }, "\(code)") }
        #expect(known.allSatisfy { Currency($0) != nil })
    }

    @Test
    func `currencies that end with USD are allowed at Binance, which does not quote USD, and at Coinbase`()
        throws
    {
        #expect(try PriceSource.binance.request(Symbol("BTC-FDUSD")!).url.text.contains("=BTCFDUSD&"))
        #expect(try PriceSource.coinbase.request(Symbol("PAX-GUSD")!).url.text.hasSuffix("/PAX-GUSD/ticker"))
    }

    @Test(arguments: [
        (#"{"msg":"m"}"#, "m"), (#"{"error":"m"}"#, "m"), (#"{"message":"m"}"#, "m"),
        (#"{"Message":"m"}"#, "m"),
        (#"{"errors":[{"message":"m"}]}"#, "m"), (#"{"Err":{"message":"m"}}"#, "m"),
        (#"{"msg":"","message":"m"}"#, "m"), (#"{"msg":7}"#, nil), ("<html>", nil), ("", nil),
        (#"{"msg":"\u001b[31mred\u202e\n"}"#, "?[31mred??"),
    ])
    func `the server's message is added to its status, and made printable`(body: String, words: String?) {
        let message = "status 403" + (words.map { ": \($0)" } ?? "")
        #expect(refusal(.binance, 403, body)?.message == message)
    }

    @Test func `a long message is truncated`() {
        let body = #"{"msg":"\#(String(repeating: "m", count: 1000))"}"#
        #expect(
            refusal(.binance, 451, body)?.message == "status 451: " + String(repeating: "m", count: 99) + "…")
    }

    @Test(arguments: [404, 400])
    func `a status that need not concern the symbol is invalid data`(status: Int) {
        #expect(refusal(.binance, status, "<html>")?.kind == .invalidData)
        #expect(refusal(.custom(name: "x", url: "http://x/", price: ""), status, "")?.kind == .invalidData)
    }

    @Test func `a symbol that is not a pair is unsupported, without a request`() throws {
        let client = HTTPClientStub(Payload.binance)
        let sut = HTTPFeed(.binance, client: client, now: { anyTime() }, reports: Reports())
        let failure = Failure(
            source: "binance", kind: .unsupported, message: "not a pair such as BTC-USD", retry: .seconds(60))
        #expect(try #require(sut.reading(for: anyTick(symbol: "btc-usd"))).failures == [failure])
        #expect(client.requests.isEmpty)
    }
}
