import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// How an answer without a price becomes a failure, and which symbols fail without a request.
@Suite(.unit) struct RefusalTests {
    @Test(.fault(9, 13), arguments: Sample.lines("refusals", columns: 3))
    func `a refusal becomes a failure of the expected kind with the server's message`(sample: Sample) throws {
        let (status, message) = (try #require(Int(sample.columns[0])), sample.columns[2])
        let error = try #require(sample.source.error(in: sample.text, status: status))
        #expect("\(error.kind)" == sample.columns[1] && error.message == message)
        // A request for an unknown symbol, or a denied request, is not repeated for a minute.
        #expect(error.retry == (error.kind == .unsupported || error.kind == .denied ? .seconds(60) : nil))
        let isReadable = !["the answer contains", "/price", "the result"].contains(where: message.hasPrefix)
        #expect(error.status == (isReadable ? status : nil))
        #expect(error.kind != .network || !error.concernsSymbol)
    }

    @Test func `the market list that Bitstamp returns for an unknown pair is within the size limit`() throws {
        // In September 2026 the list was 80 KB long.
        #expect(try PriceSource.bitstamp.request(.bitcoin).largestBody > 80_000)
    }

    @Test(
        .fault(10),
        arguments: [
            (PriceSource.kraken, "PAX-GUSD"), (.bitstamp, "PAX-GUSD"), (.binance, "PAX-GUSD"),
            (.binance, "PAXGU-SDT"), (.kraken, "BA-TUSD"), (.bitstamp, "BA-TUSD"), (.kraken, "XETH-ZUSD"),
        ])
    func `a symbol that splits another pair's market name in the wrong place is unsupported`(
        source: PriceSource, symbol: String
    ) throws {
        let code = symbol.split(separator: "-")[1]
        let failure = try failureWithoutRequest(source, symbol)
        #expect(failure.kind == .unsupported)
        #expect(failure.message == "this source is not known to quote prices in \(code)")
    }

    @Test func `a symbol that is not a pair is unsupported and does not cause a request`() throws {
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

    @Test
    func `no usual currency code ends with another, so market names without a separator are unambiguous`() {
        let known = QuoteCurrencies.usual
        for code in known { #expect(!known.contains { $0 != code && code.hasSuffix($0) }, "\(code)") }
        #expect(known.allSatisfy { Currency($0) != nil })
    }

    /// These symbols are unambiguous: Binance has no markets in USD, and market names at Coinbase contain a separator.
    @Test func `BTC-FDUSD is requested from Binance, and PAX-GUSD is requested from Coinbase`() throws {
        #expect(try PriceSource.binance.request(Symbol("BTC-FDUSD")!).url.text.contains("=BTCFDUSD&"))
        #expect(try PriceSource.coinbase.request(Symbol("PAX-GUSD")!).url.text.hasSuffix("/PAX-GUSD/ticker"))
    }

    @Test(arguments: [
        (#"{"msg":"m"}"#, "m"), (#"{"error":"m"}"#, "m"), (#"{"message":"m"}"#, "m"),
        (#"{"errors":[{"message":"m"}]}"#, "m"), (#"{"Err":{"message":"m"}}"#, "m"),
        (#"{"msg":"","message":"m"}"#, "m"), (#"{"msg":7}"#, nil), ("<html>", nil), ("", nil),
        (#"{"msg":"\u001b[31mred\u202e\n"}"#, "?[31mred??"), (#"{"Message":"m"}"#, "m"),
    ])
    func `the server's message is made printable and added to the status`(body: String, words: String?) {
        let message = "status 403" + (words.map { ": \($0)" } ?? "")
        #expect(PriceSource.binance.error(in: body, status: 403)?.message == message)
    }

    @Test func `a long message is truncated`() {
        let message = { String(repeating: "m", count: $0) }
        let refusal = PriceSource.binance.error(in: #"{"msg":"\#(message(1000))"}"#, status: 451)
        #expect(refusal?.message == "status 451: \(message(99))…")
    }

    @Test(arguments: [404, 400])
    func `an error status from a custom address does not mean that the symbol is unsupported`(status: Int) {
        let source = PriceSource.custom(name: "x", url: "http://x/", price: "")
        #expect(source.error(in: "<html>", status: status)?.kind == .invalidData)
    }
}
