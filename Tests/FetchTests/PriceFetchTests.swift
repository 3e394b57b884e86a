import Foundation
import PipeCommon
import TestSupport
import Testing

@testable import price_fetch

/// The use case: what one source's answer makes of a tick.
struct PriceFetchTests {
    private func makeSUT(_ client: HTTPClientStub, now: Timestamp = anyTime(), timeout: Int = 800)
        -> FetchQuote
    {
        FetchQuote(source: .binance, timeout: .milliseconds(timeout), client: client, now: { now })
    }

    private func failure(_ result: Result<HTTPResponse, HTTPFailure>) async -> Failure? {
        let reading = await makeSUT(HTTPClientStub(result)).reading(for: anyTick())
        return reading.quote == nil && reading.failures.count == 1 ? reading.failures[0] : nil
    }

    private func failure(status: Int = 200, _ body: String = Payload.binance) async -> Failure? {
        await failure(.success(HTTPResponse(status: status, body: Data(body.utf8))))
    }

    @Test func `a good answer is a quote, dated when it was received`() async throws {
        let client = HTTPClientStub(Payload.binance)
        let reading = await makeSUT(client, now: anyTime(70)).reading(for: anyTick())
        let quote = anyQuote("114721.34000000", at: anyTime(70))
        #expect(reading == Reading(answering: anyTick(), quote, from: "binance"))
        #expect(try client.requests.map(\.url) == [Source.binance.request(.bitcoin).url])
    }

    @Test(arguments: [
        (401, Failure.Kind.denied), (403, .denied), (451, .denied), (418, .rateLimited), (429, .rateLimited),
        (201, .invalidData), (204, .invalidData), (301, .invalidData), (302, .invalidData),
        (400, .invalidData),
        (404, .invalidData), (500, .invalidData), (503, .invalidData), (999, .invalidData),
    ])
    func `15: a status other than 200 is named, and its body never read`(status: Int, kind: Failure.Kind)
        async
    {
        let told = await failure(status: status)
        #expect(told?.kind == kind && told?.message == "status \(status)")
    }

    @Test(arguments: [
        "", "<html>", "{", Payload.binance + "x", "\u{FEFF}" + Payload.binance,
        #"{"symbol":"BTCUSDT","price":"1","price":"2"}"#,
        String(repeating: "[", count: 513) + String(repeating: "]", count: 513),
    ])
    func `9: a body that is not the source's quote is invalid data`(body: String) async {
        #expect(await failure(body)?.kind == .invalidData)
    }

    @Test func `9: every proper prefix of a good body is invalid data`() async {
        for end in Payload.binance.indices {
            #expect(await failure(String(Payload.binance[..<end]))?.kind == .invalidData)
        }
    }

    @Test func `no answer in time is a timeout that names the time`() async {
        let expected = Failure(source: "binance", kind: .timeout, message: "no answer within 800 ms")
        #expect(await failure(.failure(.timeout)) == expected)
    }

    @Test func `a broken connection is a network failure`() async {
        let expected = Failure(source: "binance", kind: .network, message: "refused")
        #expect(await failure(.failure(.network("refused"))) == expected)
    }

    @Test func `a body over 64 KiB is invalid data`() async {
        #expect(await failure(.failure(.tooLarge))?.kind == .invalidData)
    }

    @Test func `the shorter of its own and the tick's timeout counts`() async {
        let client = HTTPClientStub(.failure(.timeout))
        for (own, tick, expected) in [(800, 200, 200), (100, 200, 100)] {
            let tick = Tick(number: 1, at: anyTime(), timeout: .milliseconds(tick))
            let reading = await makeSUT(client, timeout: own).reading(for: tick)
            #expect(reading.failures.map(\.message) == ["no answer within \(expected) ms"])
        }
    }

    @Test(arguments: [(799, 1), (800, 0), (801, 0)])
    func `a tick whose time has passed is answered without a request`(late: Int, requests: Int) async {
        let client = HTTPClientStub(Payload.binance)
        let reading = await makeSUT(client, now: anyTime(late)).reading(for: anyTick())
        #expect(client.requests.count == requests)
        #expect(reading.failures.map(\.kind) == (requests == 0 ? [.timeout] : []))
    }

    @Test func `the tick's symbol is asked for and echoed`() async {
        let client = HTTPClientStub(#"{"symbol":"ETHUSDT","price":"3012.55"}"#)
        let tick = anyTick(symbol: "ETH-USD")
        let reading = await makeSUT(client).reading(for: tick)
        #expect(reading == Reading(answering: tick, anyQuote("3012.55"), from: "binance"))
    }

    @Test func `33: hostile text in an answer is made printable`() async {
        let failure = await failure("{\"symbol\":\"\\u001b[31mX\\u202e\\n\",\"price\":\"1.0\"}")
        #expect(failure?.message == "/symbol is ?[31mX??, not BTCUSDT")
    }
}
