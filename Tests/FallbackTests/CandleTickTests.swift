import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// Ticks that request candles, mixed with live ticks, which request the current price. In the steps (see
/// `Simulation.expect`), `1d@20` is the daily candle of the 20th.
@Suite(.unit) struct CandleTickTests {
    private let live = anyTick()
    private let day = candleTick(12)

    @Test func `ticks for a price, a daily candle and an hourly candle may have the same number`() {
        Simulation().expect(
            "0 tick & tick 1d@20 & tick 1h@20 → ask 0/800, ask 0/800 1d@20, ask 0/800 1h@20",
            "10 0a 1h@20 → 0a 1h@20", "10 0b 1d@20 → 0b 1d@20", "10 0c → 0c")
    }

    @Test func `the current price is not used as the answer to a tick for a candle`() {
        Simulation(1, asking: day).expect("10 0v → ", "800 → none after 0>800 1d@20")
    }

    @Test func `two ticks with the same number are distinguished by the times of their candles`() {
        // The quote of the 21st is held back, because ticks for daily candles are answered in order.
        Simulation().expect(
            "0 tick 1d@20 & tick 1d@21 → ask 0/800 1d@20, ask 0/800 1d@21", "10 0b 1d@21 → ",
            "20 0a 1d@20 → 0a 1d@20, 0b 1d@21")
    }

    @Test func `a live tick does not wait for candles requested before it`() {
        Simulation(asking: day).expect("0 tick → ask 0/800", "10 0v → 0v")
    }

    @Test(arguments: [Failure.Kind.unsupported, .rateLimited, .denied])
    func `a source that rejects a candle length is still queried for prices and for other candle lengths`(
        kind: Failure.Kind
    ) {
        var sut = Simulation(asking: day)
        let refusal = Failure(source: "0", kind: kind, message: "no candles", retry: .seconds(60))
        _ = sut.read(Reading(answering: day, [refusal]), from: 0, at: 1)
        _ = sut.advance(to: 1000)
        // The next daily candle is requested from the fallback immediately. The price and the hourly candle are
        // requested from the primary.
        sut.expect(
            "59000 tick 13 1d@21 → ask 1/1000 13 1d@21", "59000 tick → ask 0/800",
            "59000 tick 1h@20 → ask 0/800 1h@20")
        sut.expect("60000 tick 1d@20 → ask 1/1000 1d@20")
        sut.expect("60001 tick 1d@20 → ask 0/800 1d@20")
    }

    @Test func `a source that denies access to the current price is still queried for candles`() {
        Simulation(1, asking: live).expect(
            "1 0d → none after 0 denied: status 401", "1000 tick 1d@20 → ask 0/800 1d@20")
    }

    @Test func `missing candles never open the circuit breaker for live ticks or candle ticks`() {
        // Given a burst of ten ticks for candles that the primary cannot return
        var sut = Simulation(trip: 3)
        let burst = (0..<10).map { candleTick($0, at: "2026-11-0\($0 % 9 + 1)T00:00") }
        for tick in burst { _ = sut.handle(.tick(tick), at: 0) }
        for tick in burst { _ = sut.read(failed("0", tick), from: 0, at: 10) }
        _ = sut.advance(to: 1000)
        // Then both kinds of ticks still wait for the primary
        sut.expect("1000 tick → ask 0/800", "1000 tick 1d@20 → ask 0/800 1d@20")
    }

    @Test func `while the primary is only probed, candle ticks neither wait for it nor end the outage`() {
        // Given an outage of three ticks
        var sut = Simulation()
        for second in 0..<3 { _ = sut.play(second, ["x", "v"]) }
        // Then a tick for a candle goes to the fallback immediately, and the primary's candle does not end the outage
        sut.expect(
            "3000 tick 1d@20 → ask 0/800 1d@20, ask 1/1000 1d@20", "3010 0v 1d@20 → 0v 1d@20",
            "4000 tick → ask 0/800, ask 1/1000")
    }

    @Test func `an unanswered burst of ticks for candles does not count as several silent beats`() {
        var sut = Simulation(1)
        let burst = (0..<10).map { candleTick($0, at: "2026-11-1\($0)T00:00") }
        for (time, tick) in burst.enumerated() { _ = sut.handle(.tick(tick), at: time) }
        for (number, time) in (800..<810).enumerated() {
            sut.expect("\(time) → none after 0>800 \(number) 1d@1\(number)")
            _ = sut.advance(to: time)
        }
        for tick in burst { #expect(sut.handle(.tick(tick), at: 1000).count == 1) }
    }

    @Test func `ticks for candles are not used to keep an idle fallback warm`() {
        // The fallback counts as idle although it is queried for a candle after 49 s. After 60 s, a tick for
        // a candle is not sent to the idle fallback, but the next tick for the price is.
        Simulation(asking: live).expect(
            "1000 → none after 0>800", "49000 tick 49 1d@20 → ask 0/800 49 1d@20",
            "49001 0x 49 1d@20 → ask 1/999 49 1d@20", "50000 → none after 0x and 1>1000 49 1d@20",
            "60000 tick 60 1d@20 → ask 0/800 60 1d@20",
            "61000 tick → ask 0/800, ask 1/1000, none after 0>800 60 1d@20")
    }
}
