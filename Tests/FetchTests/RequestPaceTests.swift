import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// The limits that exchanges document are kept.
@Suite(.unit) struct RequestPaceTests {
    private let start = Deadline.Instant.now

    @Test(.fault(66)) func `after a burst, requests are spaced evenly`() {
        var sut = RequestPace(RateLimit(interval: .milliseconds(100), burst: 3, words: ""))
        for _ in 0..<3 {
            #expect(sut.start(at: start) == start)
            sut.take(at: start)
        }
        #expect(sut.start(at: start) == start + .milliseconds(100))
        #expect(sut.start(after: 2, at: start) == start + .milliseconds(300))
        #expect(sut.start(at: start + .milliseconds(150)) == start + .milliseconds(150))
        sut.take(at: start + .milliseconds(150))
        #expect(sut.start(at: start + .milliseconds(150)) == start + .milliseconds(200))
        // After a rest, a burst is allowed again.
        #expect(sut.start(after: 2, at: start + .seconds(9)) == start + .seconds(9))
    }

    @Test(.fault(66)) func `the pause after refusals without a time grows from 1 to 60 seconds`() {
        var sut = RefusalBackoff()
        #expect((0..<8).map { _ in sut.refused() } == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        sut.answered()
        #expect(sut.refused() == .seconds(1))
    }

    /// An exchange that counts requests by a token bucket, as documented.
    private final class Bucket {
        var (tokens, last) = (0.0, 0)
        var refused = 0

        func admits(at time: Int, perSecond: Double, burst: Double) -> Bool {
            tokens = min(burst, tokens + Double(time - last) * perSecond / 1000)
            last = time
            if tokens < 1 { refused += 1 } else { tokens -= 1 }
            return tokens >= 0
        }
    }

    @Test(.fault(66), arguments: [1, 16, 25, 100])
    func `Coinbase's limit is kept, each symbol gets its turn, and the others know at once`(symbols: Int)
        throws
    {
        let bucket = Bucket()
        bucket.tokens = 15
        var time = 0
        let client = HTTPClientStub { _ in
            _ = bucket.admits(at: time, perSecond: 10, burst: 15)
            let body = #"{"price":"1.5","time":"\#(anyTime().text)"}"#
            return .success(HTTPResponse(status: 200, body: Array(body.utf8)))
        }
        let sut = HTTPFeed(.coinbase, client: client, now: { anyTime() }, reports: Reports())
        var (fresh, count, last, oldest) = (0, 0, [Int: Int](), 0)
        for beat in 0..<65 {
            for place in 0..<symbols {
                let tick = anyTick(beat, symbol: "S\(place)-USD")
                let id = beat * symbols + place
                sut.ask(id, tick, within: .milliseconds(800), at: start + .seconds(beat))
            }
            for step in 0..<100 {
                time = beat * 1000 + step * 10
                for answer in sut.advance([], at: start + .milliseconds(time)) {
                    count += 1
                    switch answer.quote {
                    case .success:
                        fresh += 1
                        let place = answer.id % symbols
                        oldest = max(oldest, beat - last[place, default: -1])
                        last[place] = beat
                    case .failure(let error):
                        #expect(error.kind == .rateLimited && error.retry == nil && step <= 1)
                    }
                }
            }
        }
        #expect(count == 65 * symbols && bucket.refused == 0)
        #expect(fresh >= min(65 * symbols, 650))
        #expect(oldest <= (symbols + 9) / 10 + 1)
    }

    @Test(.fault(66)) func `a beat that is read in two pieces is one request`() {
        let client = HTTPClientStub(nil)
        let sut = HTTPFeed(.kraken, client: client, now: { anyTime() }, reports: Reports())
        for beat in 0..<5 {
            for (piece, symbol) in ["BTC-USD", "ETH-USD"].enumerated() {
                let now = start + .seconds(beat) + .milliseconds(piece * 2)
                sut.ask(beat * 2 + piece, anyTick(beat, symbol: symbol), within: .milliseconds(800), at: now)
                _ = sut.advance([], at: now)
            }
            _ = sut.advance([], at: start + .seconds(beat) + .milliseconds(20))
            #expect(client.requests.count <= beat + 1)
        }
    }
}
