import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// What a source says when it gives no price: its kind, and the server's own words.
@Suite(.unit) struct RefusalTests {
    private func refusal(_ source: PriceSource, _ status: Int, _ body: String) -> FetchError? {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        do throws(FetchError) {
            _ = try source.quote(of: .bitcoin, in: response, at: anyTime())
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        (PriceSource.binance, 400, #"{"code":-1121,"msg":"Invalid symbol."}"#, "status 400: Invalid symbol."),
        (.binance, 400, #"{"code":-1220,"msg":"Closed"}"#, "status 400: Closed"),
        (.binance, 400, #"{"code":-1100,"msg":"Illegal characters"}"#, "status 400: Illegal characters"),
        (
            .coinbase, 404, #"{"errors":[{"id":"not_found","message":"Invalid base currency"}]}"#,
            "status 404: Invalid base currency"
        ),
        (.coinbase, 404, #"{"message":"NotFound"}"#, "status 404: NotFound"),
        (.bitstamp, 404, "<html>", "status 404"),
        (.kraken, 200, #"{"error":["EQuery:Unknown asset pair"]}"#, "EQuery:Unknown asset pair"),
        (
            .cryptoCompare, 200, Payload.cryptoCompareUnknown,
            "Coinbase market does not exist for this coin pair (BTC-XYZ)"
        ),
    ])
    func `a symbol that the source does not have is unsupported, for a minute at least`(
        source: PriceSource, status: Int, body: String, message: String
    ) {
        let expected = FetchError(.unsupported, message, retry: .seconds(60), status: status)
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
    func `a rate limit that comes with status 200 is a rate limit`(
        source: PriceSource, body: String, message: String
    ) {
        #expect(
            refusal(source, 200, body) == FetchError(.rateLimited, message, retry: .seconds(60), status: 200))
    }

    @Test(
        .fault(9),
        arguments: [
            (PriceSource.kraken, #"{"error":["EService:Unavailable"]}"#, "EService:Unavailable"),
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
    func `another error with status 200 is invalid data, in the source's words`(
        source: PriceSource, body: String, message: String
    ) {
        let refusal = refusal(source, 200, body)
        #expect(refusal?.kind == .invalidData && refusal?.message == message && refusal?.retry == nil)
    }

    @Test(arguments: [
        (#"{"msg":"m"}"#, "m"), (#"{"error":"m"}"#, "m"), (#"{"message":"m"}"#, "m"),
        (#"{"Message":"m"}"#, "m"),
        (#"{"errors":[{"message":"m"}]}"#, "m"), (#"{"Err":{"message":"m"}}"#, "m"),
        (#"{"msg":"","message":"m"}"#, "m"), (#"{"msg":7}"#, nil), ("<html>", nil), ("", nil),
        (#"{"msg":"\u001b[31mred\u202e\n"}"#, "?[31mred??"),
    ])
    func `the words of a server are added to its status, made printable`(body: String, words: String?) {
        let message = "status 403" + (words.map { ": \($0)" } ?? "")
        #expect(refusal(.binance, 403, body)?.message == message)
    }

    @Test func `long words are cut`() {
        let body = #"{"msg":"\#(String(repeating: "m", count: 1000))"}"#
        #expect(
            refusal(.binance, 451, body)?.message == "status 451: " + String(repeating: "m", count: 99) + "…")
    }

    @Test(arguments: [404, 400])
    func `a status that says nothing of the symbol is invalid data`(status: Int) {
        #expect(refusal(.binance, status, "<html>")?.kind == .invalidData)
        #expect(refusal(.custom(name: "x", url: "http://x/", price: ""), status, "")?.kind == .invalidData)
    }

    @Test func `a symbol that is not a pair is unsupported, without a request`() throws {
        let client = HTTPClientStub(Payload.binance)
        let sut = PollingFeed(.binance, client: client, now: { anyTime() })
        let failure = Failure(
            source: "binance", kind: .unsupported, message: "not a pair such as BTC-USD", retry: .seconds(60))
        #expect(try #require(sut.reading(for: anyTick(symbol: "btc-usd"))).failures == [failure])
        #expect(client.requests.isEmpty)
    }
}
