import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Requests are delayed to stay within the exchanges' documented rate limits, and the symbols take turns.
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
        // After a pause without requests, a burst is allowed again.
        #expect(sut.start(after: 2, at: start + .seconds(9)) == start + .seconds(9))
    }

    @Test(
        .fault(66),
        arguments: [
            (PriceSource.binance, 60, 3000, 171_528, "a request weight of 6,000 per minute"),
            (.coinbase, 60, 615, 36_014, "10 requests per second"),
            (.kraken, 60, 61, 3601, "1 request per second"),
            (.bitstamp, 600, 10_000, 58_264, "10,000 requests in 10 minutes"),
            (.bybit, 5, 600, 360_100, "600 requests in 5 seconds"),
            (.gemini, 60, 120, 6927, "120 requests per minute"),
            (.okx, 2, 20, 30_003, "20 requests in 2 seconds"),
        ])
    func `even with a burst, the requests do not exceed the documented limit`(
        source: PriceSource, seconds: Int, most: Double, perHour: Int, words: String
    ) {
        let limit = source.limit!
        let sent = { (time: Int) -> Double in Double(limit.burst) + Duration.seconds(time) / limit.interval }
        #expect(limit.words == words && sent(seconds) <= most && Int(sent(3600)) == perHour)
    }

    @Test(.fault(66)) func `after refusals without a retry time, the pause grows from 1 to 60 seconds`() {
        var sut = RefusalBackoff()
        #expect((0..<8).map { _ in sut.refused() } == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        sut.answered()
        #expect(sut.refused() == .seconds(1))
    }

    /// Counts the requests that exceed Coinbase's documented limit: 10 per second, with bursts of up to 15.
    private final class Bucket {
        private var (tokens, last) = (15.0, 0)
        private(set) var rejected = 0

        func take(at time: Int) {
            tokens = min(15, tokens + Double(time - last) / 100)
            last = time
            if tokens < 1 { rejected += 1 } else { tokens -= 1 }
        }
    }

    @Test(.fault(66), arguments: [1, 16, 25, 100])
    func `symbols take turns within Coinbase's limit, and ticks that would wait too long fail at once`(
        symbols: Int
    ) {
        let bucket = Bucket()
        var time = 0
        let client = HTTPClientStub { _ in
            bucket.take(at: time)
            return .answer(#"{"price":"1.5","time":"\#(anyTime().text)"}"#)
        }
        let sut = HTTPFeed(.coinbase, client)
        var (fresh, count, last, oldest) = (0, 0, [Int: Int](), 0)
        for beat in 0..<65 {
            for place in 0..<symbols {
                let tick = anyTick(beat, symbol: "S\(place)-USD")
                sut.ask(beat * symbols + place, tick, at: start + .seconds(beat))
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
                        #expect(error.kind == .rateLimited && error.retry == nil)
                        // The requests for the first 14 ticks are sent at once, and the next six within 600 ms.
                        #expect(step <= 1 && answer.id >= 20)
                    }
                }
            }
        }
        #expect(count == 65 * symbols && bucket.rejected == 0 && fresh >= min(65 * symbols, 650))
        #expect(oldest <= (symbols + 9) / 10 + 1)
    }

    @Test(.fault(66), arguments: [PriceSource.kraken, .binance])
    func `after a beat with several ticks, the next beat's ticks share one request`(source: PriceSource) {
        let client = HTTPClientStub(nil)
        let sut = HTTPFeed(source, client)
        for beat in 0..<5 {
            // Ticks are gathered only after a beat with several ticks. The first two beats consist of one tick each,
            // so the ticks of the third beat are not gathered yet.
            for (piece, symbol) in ["BTC-USD", "ETH-USD"].prefix(max(1, beat)).enumerated() {
                let now = start + .seconds(beat) + .milliseconds(piece * 2)
                sut.ask(beat * 2 + piece, anyTick(beat, symbol: symbol), at: now)
                _ = sut.advance([], at: now)
            }
            _ = sut.advance([], at: start + .seconds(beat) + .milliseconds(20))
            // In the third beat, Binance therefore gets two requests; Kraken's rate limit allows only one.
            #expect(client.requests.count == beat + (beat > 1 && source.limit!.burst > 1 ? 2 : 1))
        }
    }

    // MARK: Turns

    @Test(arguments: [(20_000, 2), (20_001, 1)])
    func `the last turns of up to 20,000 subjects are remembered`(subjects: Int, first: Int) {
        var sut = Turns()
        for number in 1...subjects { sut.take(number, for: Subject(Symbol("S\(number)")!)) }
        for id in [1, 2] { sut.add(id, of: Subject(Symbol("S\(2 - id)")!)) }
        #expect(sut.first == first)
    }

    private let symbols = (0..<50).map { "S\($0)-USD" }

    /// Simulates one beat per second, with a tick for each symbol and a time limit of 800 ms for each tick.
    ///
    /// - Parameters:
    ///   - latency: how many milliseconds the server takes for each answer.
    ///   - silent: the symbols whose requests the server never answers.
    /// - Returns: the symbols that got a quote.
    private func quoted(latency: Int, beats: Int, silent: Set<String> = []) -> Set<String> {
        var (source, time, quoted) = (PriceSource.binance, 0, Set<String>())
        source.shared = nil
        var ends: [String: Int] = [:]
        let client = HTTPClientStub { request in
            let symbol = String(request.url.text.split { "=&".contains($0) }[1].dropLast(4)) + "-USD"
            let end = ends["\(symbol) \(time / 1000)", default: time + latency]
            ends["\(symbol) \(time / 1000)"] = end
            guard end <= time, !silent.contains(symbol) else { return nil }
            return .answer(#"{"symbol":"\#(symbol.replacing("-USD", with: "USDT"))","price":"1.50"}"#)
        }
        let sut = HTTPFeed(source, client)
        for beat in 0..<beats {
            time = beat * 1000
            // The ticks are read one at a time.
            for (index, symbol) in symbols.enumerated() {
                sut.ask(beat * 50 + index, anyTick(symbol: symbol), at: start + .seconds(beat))
                _ = sut.advance([], at: start + .seconds(beat))
            }
            var waiting = Set(beat * 50..<beat * 50 + 50)
            for step in 0..<100 {
                time = beat * 1000 + step * 10
                for id in step == 80 ? waiting : [] {
                    _ = sut.giveUp(id, anyTick(symbol: symbols[id % 50]), after: .milliseconds(800))
                }
                for answer in sut.advance([], at: start + .milliseconds(time)) {
                    waiting.remove(answer.id)
                    if answer.price != nil { quoted.insert(symbols[answer.id % 50]) }
                }
            }
        }
        return quoted
    }

    @Test(.fault(44), arguments: [(200, 2), (300, 2), (390, 2), (400, 4), (500, 4), (780, 4)])
    func `all 50 symbols get quotes within two beats, or four at high latency`(latency: Int, beats: Int) {
        #expect(quoted(latency: latency, beats: beats) == Set(symbols))
    }

    @Test(.fault(44))
    func `symbols that never get an answer do not keep the other symbols from getting quotes`() {
        let silent = Set(symbols.prefix(20))
        #expect(quoted(latency: 300, beats: 4, silent: silent) == Set(symbols).subtracting(silent))
    }
}
