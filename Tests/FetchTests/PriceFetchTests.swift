import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// How a source answers a tick with a reading.
@Suite(.unit) struct PriceFetchTests {
    /// The only failure in a tick's reading; nil if the reading contains a quote or several failures.
    private func failure(_ result: Result<HTTPResponse, HTTPFailure>) throws -> Failure? {
        let reading = try #require(HTTPFeed(.binance, HTTPClientStub(result)).reading(for: anyTick()))
        return reading.quote == nil && reading.failures.count == 1 ? reading.failures.first : nil
    }

    @Test func `a valid answer becomes a quote for the tick's symbol, with the answer's time of arrival`()
        throws
    {
        let client = HTTPClientStub(#"{"symbol":"ETHUSDT","price":"3012.55"}"#)
        let tick = anyTick(symbol: "ETH-USD")
        let reading = HTTPFeed(.binance, client, at: anyTime(70)).reading(for: tick)
        let quote = anyQuote("3012.55", at: anyTime(70), market: "ETHUSDT")
        #expect(reading == Reading(answering: tick, quote, from: "binance"))
        #expect(try client.requests.map(\.url) == [PriceSource.binance.request(Symbol("ETH-USD")!).url])
    }

    @Test(
        .fault(15),
        arguments: [
            (401, Failure.Kind.denied), (403, .denied), (451, .denied), (418, .rateLimited),
            (429, .rateLimited), (201, .invalidData), (204, .invalidData), (301, .invalidData),
            (302, .invalidData), (400, .invalidData), (404, .invalidData), (500, .invalidData),
            (503, .invalidData), (999, .invalidData),
        ])
    func `a status other than 200 causes a failure that names the status, even if the body is a quote`(
        status: Int, kind: Failure.Kind
    ) throws {
        let failure = try failure(.answer(Payload.binance, status: status))
        #expect(failure?.kind == kind && failure?.message == "status \(status)")
    }

    @Test(
        .fault(9),
        arguments: [
            "<html>", Payload.binance + "x", "\u{FEFF}" + Payload.binance,
            #"{"symbol":"BTCUSDT","price":"1","price":"2"}"#,
            String(repeating: "[", count: 513) + String(repeating: "]", count: 513),
        ] + Payload.binance.indices.map { String(Payload.binance[..<$0]) })
    func `a body that is not a quote, such as a quote cut short, is invalid data`(body: String) throws {
        #expect(try failure(.answer(body))?.kind == .invalidData)
    }

    @Test(arguments: [
        (HTTPFailure.timeout, Failure.Kind.timeout, "no answer within 800 ms"),
        (.network("refused"), .network, "refused"),
        (.tooLarge(limit: 64 * 1024), .invalidData, "the answer is larger than 64 KiB"),
        (.unprovenEnd, .invalidData, "nothing shows that the answer is complete"),
    ])
    func `a request without a complete answer causes a failure that names the reason`(
        cause: HTTPFailure, kind: Failure.Kind, message: String
    ) throws {
        let expected = Failure(source: "binance", kind: kind, message: message)
        #expect(try failure(.failure(cause)) == expected)
    }

    @Test(.fault(70)) func `ticks at least 800 ms older than the newest in a batch fail without a request`() {
        let client = HTTPClientStub(Payload.binance)
        let sut = HTTPFeed(.binance, client)
        for (id, milliseconds) in [0, 200, 201, 1000].enumerated() {
            sut.ask(id, Tick(number: id, at: anyTime(milliseconds)))
        }
        let answers = sut.advance([], at: .now)
        #expect(answers.filter { $0.price == nil }.map(\.id) == [0, 1] && client.requests.count == 2)
    }

    @Test(.fault(70), arguments: [-86_400_000, -900_000, -800, 0, 800, 61_000, 86_400_000])
    func `a quote is fetched even if the ticks come from a machine with an inaccurate clock`(
        milliseconds: Int
    ) {
        let sut = HTTPFeed(.binance, HTTPClientStub(Payload.binance), at: anyTime(milliseconds))
        #expect(sut.reading(for: anyTick())?.quote != nil)
    }

    @Test func `while 16 requests are in progress, another request waits until one of the 16 ends`() {
        let client = HTTPClientStub(nil)
        let sut = HTTPFeed(.binance, client)
        for id in 0..<18 { sut.ask(id, anyTick(id)) }
        _ = sut.advance([], at: .now)
        #expect(client.requests.count == 16 && sut.nextDeadline == nil)
        // When the first tick times out
        _ = sut.giveUp(0, anyTick(), after: .milliseconds(800))
        // Then a waiting request is sent immediately
        #expect(sut.nextDeadline?.hasPassed() == true)
        _ = sut.advance([], at: .now)
        #expect(client.requests.count == 17 && sut.nextDeadline == nil)
    }

    @Test(.fault(33)) func `hostile text in an answer is made printable`() throws {
        let failure = try failure(.answer(#"{"symbol":"\u001b[31mX\u202e\n","price":"1.0"}"#))
        #expect(failure?.message == "/symbol is ?[31mX??, not BTCUSDT")
    }
}
