import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// After a source rejects a request, a cooldown usually begins, either for the whole source or only for the requested
/// symbol. Until the cooldown ends, each affected tick fails immediately with the reason for the rejection.
@Suite(.unit) struct CooldownTests {
    @Test(
        .fault(13),
        arguments: [
            (nil, nil), ("", nil), ("x", nil), ("-5", nil), ("1.5", nil), ("0", 1), ("1", 1), ("120", 120),
            ("3600", 3600), ("3601", 3600), ("1000000000", 3600), ("99999999999999999999", 3600),
            ("Sat, 21 Nov 2026 14:05:07 GMT", 120), ("Sat, 21 Nov 2026 14:00:00 GMT", 1),
            ("Sun, 22 Nov 2147483646 14:03:07 GMT", 3600), ("Sat, 21 Nov 2026 14:05:07", nil),
        ])
    func `a pause given in Retry-After lasts at least a second and at most an hour`(
        header: String?, seconds: Int?
    ) {
        // Given a machine whose clock is an hour ahead of the server's
        let response = HTTPResponse(
            status: 429, retryAfter: header, date: "Sat, 21 Nov 2026 14:03:07 GMT", body: [])
        let duration = RetryAfter.duration(of: response, now: anyTime() + .seconds(3600))
        #expect(duration.map { Int(($0 + .milliseconds(999)) / .seconds(1)) } == seconds)
    }

    @Test(.fault(13)) func `a shorter pause does not end a longer pause`() {
        var (sut, now) = (Cooldown<Int>(), Deadline.Instant.now)
        for seconds in [600, 1] { sut.start(seconds, for: .seconds(seconds), at: now) }
        now = now + .seconds(2)
        #expect(sut.reason(at: now)?.reason == 600)
    }

    private func makeSUT(
        _ status: Int, of source: PriceSource = .binance, retryAfter: String? = nil
    ) -> (HTTPFeed, HTTPClientStub) {
        let client = HTTPClientStub(.answer("", status: status, retryAfter: retryAfter))
        return (HTTPFeed(source, client), client)
    }

    @Test(
        .fault(13),
        arguments: [
            (429, "120" as String?, 120, Failure.Kind.rateLimited), (418, "7", 7, .rateLimited),
            (429, nil, 1, .rateLimited), (401, "7", 60, .denied), (403, nil, 60, .denied),
            // The last case is for Bybit, which documents a pause of ten minutes.
            (451, nil, 60, .denied), (503, "120", 120, .invalidData), (429, nil, 600, .rateLimited),
        ])
    func `a source that rejected a request is not queried again until its cooldown ends`(
        status: Int, retryAfter: String?, seconds: Int, kind: Failure.Kind
    ) throws {
        // Given a request that the source rejects
        let (sut, client) = makeSUT(status, of: seconds == 600 ? .bybit : .binance, retryAfter: retryAfter)
        let start = Deadline.Instant.now
        let refusal = { (left: Int) in
            Failure(source: sut.name, kind: kind, message: "status \(status)", retry: .seconds(left))
        }
        #expect(sut.reading(for: anyTick(), at: start)?.failures == [refusal(seconds)])
        // When a tick arrives during the cooldown
        let during = try #require(sut.reading(for: anyTick(), at: start + .seconds(seconds - 1)))
        #expect(client.requests.count == 1 && during.failures == [refusal(1)])
        // Then the source is queried again only after the cooldown
        client.reply(Payload.binance)
        _ = sut.reading(for: anyTick(), at: start + .seconds(seconds))
        #expect(client.requests.count == 2)
        // And the next cooldown is as long as the first
        client.reply(status: status, retryAfter: retryAfter)
        #expect(sut.reading(for: anyTick(), at: start + .seconds(seconds))?.failures == [refusal(seconds)])
    }

    @Test(arguments: [401, 418, 429, 451, 503])
    func `during a cooldown of the whole source, every tick fails with the remaining time`(
        status: Int
    ) throws {
        let (sut, client) = makeSUT(status, retryAfter: "60")
        let start = Deadline.Instant.now
        _ = sut.reading(for: anyTick(), at: start)
        let other = try #require(sut.reading(for: anyTick(symbol: "ETH-USD"), at: start + .seconds(20)))
        #expect(other.failures.map(\.retry) == [.seconds(40)] && client.requests.count == 1)
        #expect(other.failures.map(\.message) == ["status \(status)"])
    }

    @Test(arguments: [(PriceSource.binance, 403, Failure.Kind.denied), (.bitstamp, 404, .unsupported)])
    func `a refusal that may concern only one symbol does not affect the other symbols`(
        source: PriceSource, status: Int, kind: Failure.Kind
    ) throws {
        // Given a symbol that the source rejects
        let (sut, client) = makeSUT(status, of: source)
        let start = Deadline.Instant.now
        _ = sut.reading(for: anyTick(symbol: "XYZ-USD"), at: start)
        // When ticks for that symbol and for another symbol arrive
        let refused = try #require(sut.reading(for: anyTick(symbol: "XYZ-USD"), at: start + .seconds(59)))
        _ = sut.reading(for: anyTick(), at: start + .seconds(59))
        // Then only the other symbol is requested
        let reason = Failure(source: source.name, kind: kind, message: "status \(status)", retry: .seconds(1))
        #expect(refused.failures == [reason] && client.requests.count == 2)
        _ = sut.reading(for: anyTick(symbol: "XYZ-USD"), at: start + .seconds(60))
        #expect(client.requests.count == 3)
    }

    @Test func `at most 10,000 symbols are paused at a time`() {
        let (sut, client) = makeSUT(404, of: .bitstamp.asked(at: "http://127.0.0.1/"))
        let start = Deadline.Instant.now
        // S0 is not paused until the pauses of the other symbols are over.
        let ticks = (1...10_000).map { ($0, 0) } + [(1, 1), (0, 1), (0, 1), (0, 60), (0, 61)]
        for (number, second) in ticks {
            _ = sut.reading(for: anyTick(symbol: "S\(number)-USD"), at: start + .seconds(second))
        }
        #expect(client.requests.count == 10_003)
    }

    @Test(arguments: [
        (503, nil as String?), (503, ""), (503, "rubbish"), (503, "-5"), (500, "120"), (404, "120"),
        (302, "120"),
    ])
    func `a 302, 404 or 500 from Binance, or a 503 without a valid Retry-After, does not start a cooldown`(
        status: Int, retryAfter: String?
    ) {
        let (sut, client) = makeSUT(status, retryAfter: retryAfter)
        for _ in 0..<3 { #expect(sut.reading(for: anyTick())?.failures.map(\.retry) == [nil]) }
        #expect(client.requests.count == 3)
    }
}
