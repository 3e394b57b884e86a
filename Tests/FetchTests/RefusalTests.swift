import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Answers without a price: the kind of the failure, and the server's own message.
@Suite(.unit) struct RefusalTests {
    @Test(arguments: [
        (PriceSource.binance, 400, #"{"code":-1121,"msg":"Invalid symbol."}"#, "status 400: Invalid symbol."),
        (.binance, 400, #"{"code":-1220,"msg":"Closed"}"#, "status 400: Closed"),
        (.binance, 400, #"{"code":-1100,"msg":"Illegal characters"}"#, "status 400: Illegal characters"),
        (.coinbase, 404, #"{"message":"NotFound"}"#, "status 404: NotFound"),
        // In full "Not allowed for delisted products": ccxt/ccxt#14280, for WLUNA-USDT
        (.coinbase, 400, #"{"message":"for delisted products"}"#, "status 400: for delisted products"),
        (.bitstamp, 404, "<html>", "status 404"),
        (.kraken, 200, #"{"error":["EQuery:Unknown asset pair"]}"#, "EQuery:Unknown asset pair"),
        (
            .cryptoCompare, 200, #"{"Response":"Error","Message":"Coinbase market does not exist","Type":2}"#,
            "Coinbase market does not exist"
        ),
    ])
    func `a symbol that the source does not know is unsupported for at least a minute`(
        source: PriceSource, status: Int, body: String, message: String
    ) {
        let expected = FetchError(.unsupported, message, retry: .seconds(60)).with(status: status)
        #expect(source.error(in: body, status: status) == expected)
    }

    @Test(
        .fault(13),
        arguments: [
            (PriceSource.kraken, #"{"error":["EAPI:Rate limit exceeded"]}"#, "EAPI:Rate limit exceeded"),
            (.kraken, #"{"error":["EGeneral:Too many requests"]}"#, "EGeneral:Too many requests"),
            (.kraken, #"{"error":["EService:Throttled: 1737685911"]}"#, "EService:Throttled: 1737685911"),
            (.kraken, #"{"error":["EGeneral:Temporary lockout"]}"#, "EGeneral:Temporary lockout"),
            (.cryptoCompare, #"{"Response":"Error","Message":"Slow down","Type":99}"#, "Slow down"),
            (.cryptoCompare, #"{"Response":"Error","Message":"Rate limit hit","Type":1}"#, "Rate limit hit"),
        ])
    func `a rate limit with status 200 is recognized`(source: PriceSource, body: String, message: String) {
        #expect(source.error(in: body) == FetchError(.rateLimited, message).with(status: 200))
    }

    @Test(
        .fault(9),
        arguments: [
            (PriceSource.kraken, #"{"error":["EGeneral:Internal error"]}"#, "EGeneral:Internal error"),
            (.kraken, #"{"error":[7]}"#, "an error without a message"),
            (.cryptoCompare, #"{"Response":"Error"}"#, "an error without a message"),
            (.cryptoCompare, #"{"Err":{"message":"No key"}}"#, "the answer has no /RAW/FROMSYMBOL: No key"),
            (.binance, #"{"code":-1121,"msg":"Invalid"}"#, "the answer has no /symbol: Invalid"),
        ])
    func `any other error with status 200 is invalid data, with the source's message`(
        source: PriceSource, body: String, message: String
    ) {
        let refusal = source.error(in: body)
        #expect(refusal?.kind == .invalidData && refusal?.message == message && refusal?.retry == nil)
    }

    @Test(arguments: ["EService:Unavailable", "EService:Busy"])
    func `a temporarily unavailable exchange is a network failure for all symbols`(error: String) {
        let refusal = PriceSource.kraken.error(in: #"{"error":["\#(error)"]}"#)
        #expect(refusal?.kind == .network && refusal?.message == error && refusal?.concernsSymbol == false)
    }

    @Test(.fault(13), arguments: [#""400.002""#, #""400.067""#, #""400.068""#, "400.002"])
    func `Bitstamp's rate limits have status 400 and a code`(code: String) {
        let body = #"{"status":"error","reason":"Too many requests.","response_code":\#(code)}"#
        let expected = FetchError(.rateLimited, "status 400: Too many requests.").with(status: 400)
        #expect(PriceSource.bitstamp.error(in: body, status: 400) == expected)
        let other = #"{"status":"error","reason":"Price is too low.","response_code":"400.021"}"#
        #expect(PriceSource.bitstamp.error(in: other, status: 400)?.kind == .invalidData)
    }

    @Test func `Bitstamp answers a request for an unknown pair with the list of all markets`() throws {
        // Recorded in September 2026; the real list has 80 KB.
        let row = #"{"timestamp":"1789455809","last":"77265","pair":"BTC/USD-PERP"}"#
        let list = "[\(Array(repeating: row, count: 1200).joined(separator: ","))]"
        let expected = FetchError(.unsupported, "the answer is an array", retry: .seconds(60))
        #expect(PriceSource.bitstamp.error(in: list) == expected.with(status: 200))
        #expect(PriceSource.bitstamp.error(in: "[]")?.kind == .invalidData)
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
        let code = symbol.split(separator: "-")[1]
        let failure = try failureWithoutRequest(source, symbol)
        #expect(failure.kind == .unsupported)
        #expect(failure.message == "\(code) is not among the known currencies of its markets")
    }

    @Test func `a symbol that is not a pair is unsupported, without a request`() throws {
        let failure = Failure(
            source: "binance", kind: .unsupported, message: "not a pair such as BTC-USD", retry: .seconds(60))
        #expect(try failureWithoutRequest(.binance, "btc-usd") == failure)
    }

    private func failureWithoutRequest(_ source: PriceSource, _ symbol: String) throws -> Failure {
        let client = HTTPClientStub(nil)
        let reading = HTTPFeed(source, client).reading(for: anyTick(symbol: symbol))
        #expect(client.requests.isEmpty)
        return try #require(reading?.failures.first)
    }

    @Test func `no currency code ends with another one, so a name without a separator is unambiguous`() {
        let known = QuoteCurrencies.usual
        for code in known { #expect(!known.contains { $0 != code && code.hasSuffix($0) }, "\(code)") }
        #expect(known.allSatisfy { Currency($0) != nil })
    }

    /// Binance quotes no USD, and the names of Coinbase have a separator.
    @Test func `currencies that end with USD are allowed at Binance and at Coinbase`() throws {
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
        #expect(PriceSource.binance.error(in: body, status: 403)?.message == message)
    }

    @Test func `a long message is truncated`() {
        let message = { String(repeating: "m", count: $0) }
        let refusal = PriceSource.binance.error(in: #"{"msg":"\#(message(1000))"}"#, status: 451)
        #expect(refusal?.message == "status 451: \(message(99))…")
    }

    @Test(arguments: [404, 400])
    func `a status that need not concern the symbol is invalid data`(status: Int) {
        for source in [PriceSource.binance, .custom(name: "x", url: "http://x/", price: "")] {
            #expect(source.error(in: "<html>", status: status)?.kind == .invalidData)
        }
    }
}
