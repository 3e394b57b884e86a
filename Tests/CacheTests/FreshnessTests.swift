import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

/// Which stored quote answers a tick, and who asks the network when none does.
@Suite(.unit) struct FreshnessTests {
    private let sut = Freshness(limit: .seconds(60))

    private func isFresh(_ stored: StoredQuote, _ now: Timestamp) -> Bool {
        sut.reading(answering: anyTick(), with: stored, at: now) != nil
    }

    @Test(arguments: [(-1, false), (0, true), (59_999, true), (60_000, false), (60_001, false)])
    func `a quote is fresh while it is younger than the limit, and not from the future`(
        age: Int, expected: Bool
    ) {
        let stored = StoredQuote(symbol: .bitcoin, source: "binance", quote: anyQuote())
        #expect(isFresh(stored, anyTime(age)) == expected)
    }

    @Test func `a closed candle is always fresh after its end`() {
        #expect(isFresh(anyCandle(), anyBeginning(day: 4000)))
        #expect(isFresh(anyCandle(), anyBeginning(day: 1)))
        #expect(!isFresh(anyCandle(), anyBeginning(day: 1) + .milliseconds(-1)))
    }

    @Test func `the last quote of a candle that was open is not fresh after the candle's end`() {
        let stored = anyCandle(openSince: 10_000)
        #expect(isFresh(stored, anyBeginning(day: 1) + .milliseconds(-1)))
        #expect(!isFresh(stored, anyBeginning(day: 1)))
    }

    @Test func `the reading has the quote's own source and time, and no error flag`() {
        let stored = StoredQuote(symbol: .bitcoin, source: "binance", quote: anyQuote())
        let reading = sut.reading(answering: anyTick(), with: stored, at: anyTime(1))
        #expect(reading == Reading(answering: anyTick(), anyQuote(), from: "binance"))
    }

    /// Programs that answer from one store, at one moment after the other.
    private final class World {
        var stored: StoredQuote?
        var holder: Int?
        var asked: [Int] = []

        func answer(_ open: OpenTick, of program: Int, after time: Int, from start: Deadline.Instant)
            -> Reading?
        {
            let reading = open.reading(
                Freshness(limit: .seconds(60)), at: anyTime(time), start + .milliseconds(time),
                load: { (self.stored, nil) },
                claim: {
                    if self.holder == nil { self.holder = program }
                    return self.holder == program
                })
            if reading?.quote == nil, reading != nil { asked.append(program) }
            return reading
        }

        func refresh(at time: Int) {
            stored = StoredQuote(symbol: .bitcoin, source: "binance", quote: anyQuote(at: anyTime(time)))
            holder = nil
        }
    }

    @Test func `of ten programs that find nothing stored, one asks; the others get what it stores`() {
        let (world, start) = (World(), Deadline.Instant.now)
        let open = OpenTick(Tick(number: 1, timeout: .milliseconds(800)), at: start)
        #expect(
            (0..<10).map { world.answer(open, of: $0, after: 0, from: start) != nil } == [true]
                + Array(repeating: false, count: 9))
        #expect((1..<10).allSatisfy { world.answer(open, of: $0, after: 740, from: start) == nil })
        world.refresh(at: 745)
        #expect((1..<10).allSatisfy { world.answer(open, of: $0, after: 746, from: start)?.quote != nil })
        #expect(world.asked == [0])
    }

    @Test func `when the one that asks gives up, another one asks`() {
        let (world, start) = (World(), Deadline.Instant.now)
        let open = OpenTick(Tick(number: 1), at: start)
        _ = (0..<3).map { world.answer(open, of: $0, after: 0, from: start) }
        world.holder = nil
        _ = (1..<3).map { world.answer(open, of: $0, after: 20, from: start) }
        #expect(world.asked == [0, 1])
    }

    @Test(arguments: [(nil, 750), (800, 750), (300, 250), (20, 0), (5000, 750)])
    func `the others wait until shortly before the time limit, and then ask, too`(timeout: Int?, wait: Int) {
        let (world, start) = (World(), Deadline.Instant.now)
        world.holder = 7
        let open = OpenTick(Tick(number: 1, timeout: timeout.map { .milliseconds($0) }), at: start)
        if wait > 0 { #expect(world.answer(open, of: 0, after: wait - 1, from: start) == nil) }
        #expect(world.answer(open, of: 0, after: wait, from: start)?.failures.first?.kind == .expired)
    }

    @Test func `a quote that was refreshed between the look and the claim is used`() {
        let start = Deadline.Instant.now
        let quote = StoredQuote(symbol: .bitcoin, source: "binance", quote: anyQuote())
        var stored: StoredQuote?
        let reading = OpenTick(anyTick(), at: start).reading(
            sut, at: anyTime(), start, load: { (stored, nil) },
            claim: {
                stored = quote
                return true
            })
        #expect(reading?.quote == quote.quote)
    }

    @Test func `the failure says what is stored`() {
        let stored = StoredQuote(symbol: .bitcoin, source: "binance", quote: anyQuote())
        let day = dayTick()
        let messages = [
            Freshness.expired(anyTick(), nil, problem: nil),
            Freshness.expired(anyTick(), stored, problem: nil),
            Freshness.expired(day, nil, problem: nil),
            Freshness.expired(anyTick(), nil, problem: "checksum mismatch"),
        ].map { $0.failures.map(\.message).joined() }
        #expect(
            messages == [
                "no quote is stored", "the stored quote is from 2026-11-21T14:03:07.412Z",
                "no 1d candle is stored",
                "the stored quote cannot be used: checksum mismatch",
            ])
    }
}
