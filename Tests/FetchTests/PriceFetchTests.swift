import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// The use case: a tick becomes a reading by the answer of one source.
@Suite(.unit) struct PriceFetchTests {
    private func makeSUT(_ client: HTTPClientStub, now: Timestamp = anyTime()) -> HTTPFeed {
        HTTPFeed(.binance, client: client, now: { now }, reports: Reports())
    }

    private func failure(_ result: Result<HTTPResponse, HTTPFailure>) throws -> Failure? {
        let reading = try #require(makeSUT(HTTPClientStub(result)).reading(for: anyTick()))
        return reading.quote == nil && reading.failures.count == 1 ? reading.failures.first : nil
    }

    private func failure(status: Int = 200, _ body: String = Payload.binance) throws -> Failure? {
        try failure(.success(HTTPResponse(status: status, body: Array(body.utf8))))
    }

    @Test func `a valid answer is a quote with the time at which it was received`() throws {
        let client = HTTPClientStub(Payload.binance)
        let reading = makeSUT(client, now: anyTime(70)).reading(for: anyTick())
        let quote = anyQuote("114721.34000000", at: anyTime(70), market: "BTCUSDT")
        #expect(reading == Reading(answering: anyTick(), quote, from: "binance"))
        #expect(try client.requests.map(\.url) == [PriceSource.binance.request(.bitcoin).url])
    }

    @Test(
        .fault(15),
        arguments: [
            (401, Failure.Kind.denied), (403, .denied), (451, .denied), (418, .rateLimited),
            (429, .rateLimited),
            (201, .invalidData), (204, .invalidData), (301, .invalidData), (302, .invalidData),
            (400, .invalidData),
            (404, .invalidData), (500, .invalidData), (503, .invalidData), (999, .invalidData),
        ])
    func `a status other than 200 is a failure that names it, whatever the body`(
        status: Int, kind: Failure.Kind
    )
        throws
    {
        let failure = try self.failure(status: status)
        #expect(failure?.kind == kind && failure?.message == "status \(status)")
    }

    @Test(
        .fault(9),
        arguments: [
            "", "<html>", "{", Payload.binance + "x", "\u{FEFF}" + Payload.binance,
            #"{"symbol":"BTCUSDT","price":"1","price":"2"}"#,
            String(repeating: "[", count: 513) + String(repeating: "]", count: 513),
        ])
    func `a body that is not the source's quote is invalid data`(body: String) throws {
        #expect(try failure(body)?.kind == .invalidData)
    }

    @Test(.fault(9)) func `every proper prefix of a valid body is invalid data`() throws {
        for end in Payload.binance.indices {
            #expect(try failure(String(Payload.binance[..<end]))?.kind == .invalidData)
        }
    }

    @Test func `no answer in time is a timeout that names the time limit`() throws {
        let expected = Failure(source: "binance", kind: .timeout, message: "no answer within 800 ms")
        #expect(try failure(.failure(.timeout)) == expected)
    }

    @Test func `a broken connection is a network failure`() throws {
        let expected = Failure(source: "binance", kind: .network, message: "refused")
        #expect(try failure(.failure(.network("refused"))) == expected)
    }

    @Test(arguments: [
        (HTTPFailure.tooLarge(limit: 64 * 1024), "the answer is larger than 64 KiB"),
        (.unprovenEnd, "nothing shows that the answer is complete"),
    ])
    func `an answer that is too large, or may be truncated, is invalid data`(
        cause: HTTPFailure, message: String
    ) throws {
        let expected = Failure(source: "binance", kind: .invalidData, message: message)
        #expect(try failure(.failure(cause)) == expected)
    }

    @Test(.fault(70)) func `of several ticks that are read together, the overdue ticks are not requested`() {
        let client = HTTPClientStub(Payload.binance)
        let sut = makeSUT(client)
        for (id, milliseconds) in [0, 200, 201, 1000].enumerated() {
            let tick = Tick(number: id, at: anyTime(milliseconds))
            sut.ask(id, tick, within: .milliseconds(800), at: .now)
        }
        let answers = sut.advance([], at: .now)
        #expect(answers.filter { $0.price == nil }.map(\.id) == [0, 1])
        #expect(client.requests.count == 2)
    }

    @Test(.fault(70), arguments: [-86_400_000, -900_000, -800, 0, 800, 61_000, 86_400_000])
    func `the clock of the machine that writes the ticks may be wrong`(milliseconds: Int) {
        let client = HTTPClientStub(Payload.binance)
        let sut = makeSUT(client, now: anyTime(milliseconds))
        #expect(sut.reading(for: anyTick())?.quote != nil)
    }

    @Test func `a tick that is given up is a timeout that names the time limit`() throws {
        let client = HTTPClientStub(nil)
        let sut = makeSUT(client)
        sut.ask(7, anyTick(), within: .milliseconds(200), at: .now)
        _ = sut.advance([], at: .now)
        let reading = sut.giveUp(7, anyTick(), after: .milliseconds(200))
        #expect(reading.failures.map(\.message) == ["no answer within 200 ms"])
        #expect(client.givenUp.count == 1)
    }

    @Test func `a waiting tick is requested when another tick is given up`() {
        let client = HTTPClientStub(nil)
        let sut = makeSUT(client)
        for id in 0..<17 { sut.ask(id, anyTick(id), within: .milliseconds(800), at: .now) }
        _ = sut.advance([], at: .now)
        #expect(client.requests.count == 16 && sut.nextDeadline == nil)
        // When
        _ = sut.giveUp(0, anyTick(), after: .milliseconds(800))
        // Then it is requested immediately
        #expect(sut.nextDeadline?.hasPassed() == true)
        _ = sut.advance([], at: .now)
        #expect(client.requests.count == 17)
    }

    @Test func `waiting ticks are requested when the requests before them fail immediately`() {
        let client = HTTPClientStub(.failure(.network("refused")))
        let sut = makeSUT(client)
        for id in 0..<50 { sut.ask(id, anyTick(id), within: .milliseconds(800), at: .now) }
        var answered = 0
        repeat {
            answered += sut.advance([], at: .now).count
        } while sut.nextDeadline?.hasPassed() == true
        #expect(answered == 50)
    }

    @Test func `the tick's symbol is requested and returned`() throws {
        let client = HTTPClientStub(#"{"symbol":"ETHUSDT","price":"3012.55"}"#)
        let tick = anyTick(symbol: "ETH-USD")
        let reading = makeSUT(client).reading(for: tick)
        #expect(reading == Reading(answering: tick, anyQuote("3012.55", market: "ETHUSDT"), from: "binance"))
    }

    @Test(.fault(33)) func `hostile text in an answer is made printable`() throws {
        let failure = try self.failure("{\"symbol\":\"\\u001b[31mX\\u202e\\n\",\"price\":\"1.0\"}")
        #expect(failure?.message == "/symbol is ?[31mX??, not BTCUSDT")
    }
}
