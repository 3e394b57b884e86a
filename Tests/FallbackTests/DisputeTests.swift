import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// Single disputed ticks: which sources are queried, and the contents of the reading.
@Suite(.unit) struct DisputeTests {
    private let tick = anyTick()

    /// A simulation in which each fallback has quoted a price before.
    private func makeSUT(heard: String..., primary: String = "primary", hedge: Int? = nil) -> Simulation {
        var sut = Simulation(heard.count + 1, primary: primary, hedge: hedge, agree: .usual)
        for (place, price) in heard.enumerated() {
            _ = sut.read(quoted(names[place], anyTick(99), price), from: place + 1, at: 0)
        }
        return sut
    }

    private let names = ["coinbase", "kraken"]

    @Test(.fault(56)) func `all other sources are queried immediately, with the rest of the budget`() {
        var sut = makeSUT(heard: "68901.23", "68899.10")
        _ = sut.handle(.tick(tick), at: 0)
        let actions = sut.read(quoted("binance", tick, "27550.00"), from: 0, at: 70)
        #expect(actions == [.ask(1, tick.within(930)), .ask(2, tick.within(930))])
    }

    @Test(.fault(56))
    func `an outvoted source gets a failure that lists all prices, and the winning quote is used`() {
        // Given
        var sut = makeSUT(heard: "68901.23", "68899.10")
        _ = sut.handle(.tick(tick), at: 0)
        _ = sut.read(quoted("binance", tick, "27550.00"), from: 0, at: 70)
        // When
        #expect(sut.read(quoted("coinbase", tick, "68900.00"), from: 1, at: 140) == [])
        let actions = sut.read(quoted("kraken", tick, "68905.00"), from: 2, at: 210)
        // Then
        let failure = Failure(
            source: "binance", kind: .disputed,
            message: "binance 27550.00, coinbase 68900.00, kraken 68905.00")
        let expected = Reading(answering: tick, anyQuote("68900.00"), from: "coinbase", after: [failure])
            .disputed(["binance": "27550.00", "coinbase": "68900.00", "kraken": "68905.00"])
        #expect(actions == [.answer(expected)])
    }

    @Test(.fault(56))
    func `with two opinions the first quote is used within the budget but marked as disputed`() {
        for answers in [true, false] {
            var sut = makeSUT(heard: "68901.23")
            _ = sut.handle(.tick(tick), at: 0)
            _ = sut.read(quoted("binance", tick, "27550.00"), from: 0, at: 70)
            let actions =
                answers
                ? sut.read(quoted("coinbase", tick, "68901.23"), from: 1, at: 140)
                : sut.advance(to: 999) + sut.advance(to: 1000)
            let failure = Failure(
                source: "binance", kind: .disputed, message: "binance 27550.00, coinbase 68901.23")
            let expected = Reading(answering: tick, anyQuote("27550.00"), from: "binance", after: [failure])
                .disputed(["binance": "27550.00", "coinbase": "68901.23"], own: true)
            #expect(actions == [.answer(expected)])
        }
    }

    @Test(.fault(56)) func `an outvoted fallback also gets a failure`() {
        var sut = makeSUT(heard: "27550.00", "68899.10")
        _ = sut.handle(.tick(tick), at: 0)
        _ = sut.read(quoted("binance", tick), from: 0, at: 70)
        _ = sut.read(quoted("coinbase", tick, "27550.00"), from: 1, at: 140)
        let actions = sut.read(quoted("kraken", tick, "68899.10"), from: 2, at: 210)
        let failure = Failure(
            source: "coinbase", kind: .disputed,
            message: "coinbase 27550.00, binance 68901.23, kraken 68899.10")
        let expected = Reading(answering: tick, anyQuote(), from: "binance", after: [failure])
            .disputed(["binance": "68901.23", "coinbase": "27550.00", "kraken": "68899.10"])
        #expect(actions == [.answer(expected)])
    }

    @Test(.fault(56)) func `a late quote counts as an opinion`() {
        // Given a fallback that answers after the end of the budget
        var sut = Simulation(agree: .usual, asking: anyTick(0))
        for time in [800, 1000] { _ = sut.advance(to: time) }
        _ = sut.read(quoted("coinbase", anyTick(0)), from: 1, at: 1500)
        // Then the next quote of the primary is compared with it
        _ = sut.handle(.tick(tick), at: 2000)
        let actions = sut.read(quoted("binance", tick, "27550.00"), from: 0, at: 2070)
        #expect(actions == [.ask(1, tick.within(930))])
    }

    @Test func `candles are not compared`() throws {
        var sut = makeSUT(heard: "68901.23")
        let day = Tick(number: 1, at: anyTime(), candle: .day)
        _ = sut.handle(.tick(day), at: 0)
        let quote = Reading(answering: day, anyQuote("1.00"), from: "binance")
        #expect(sut.read(quote, from: 0, at: 70) == [.answer(quote)])
        // And a candle is not an opinion
        _ = sut.handle(.tick(tick), at: 100)
        let answer = quoted("kraken", tick)
        #expect(sut.read(answer, from: 0, at: 170) == [.answer(answer)])
    }

    @Test func `a push feed and the requests to the same exchange are one opinion`() {
        // Given two sources of one exchange, which agree
        var sut = Simulation(3, agree: .usual)
        _ = sut.read(quoted("binance", anyTick(99), "27550.00"), from: 1, at: 0)
        _ = sut.read(quoted("coinbase", anyTick(99)), from: 2, at: 0)
        // When another exchange contradicts them
        _ = sut.handle(.tick(tick), at: 0)
        _ = sut.read(quoted("binance", tick, "27550.00"), from: 0, at: 70)
        _ = sut.read(quoted("binance", tick, "27550.00"), from: 1, at: 80)
        let actions = sut.read(quoted("coinbase", tick), from: 2, at: 90)
        // Then they do not outvote it, although they are two
        guard case .answer(let reading)? = actions.first else {
            Issue.record("no answer")
            return
        }
        #expect(
            reading.isDisputed && reading.prices.map(\.price.text) == ["27550.00", "27550.00", "68901.23"])
    }

    @Test(.fault(56)) func `probes that still disagree do not close the circuit breaker`() {
        // Given a primary that was outvoted three times
        var sut = makeSUT(heard: "68901.23", "68899.10")
        func play(_ second: Int, primary price: String) -> [FallbackPolicy.Action] {
            let (tick, start) = (anyTick(second), second * 1000)
            let asked = sut.handle(.tick(tick), at: start)
            for (source, name) in ["coinbase", "kraken"].enumerated() {
                guard asked.count > 1 else { break }
                _ = sut.read(quoted(name, tick), from: source + 1, at: start + 40)
            }
            _ = sut.read(quoted("binance", tick, price), from: 0, at: start + 70)
            for (source, name) in ["coinbase", "kraken"].enumerated() {
                _ = sut.read(quoted(name, tick), from: source + 1, at: start + 90)
            }
            return asked
        }
        // When three probes disagree and then one agrees
        let asked = (0..<8).map { play($0, primary: $0 < 6 ? "27550.00" : "68901.23").count }
        // Then
        #expect(asked == [1, 1, 1, 3, 3, 3, 3, 1])
    }

    @Test func `a stored quote can be outvoted, but cannot vote against others`() {
        // Given a store that has answered with another source's quote
        var sut = makeSUT(heard: "68901.23", "68899.10")
        _ = sut.handle(.tick(tick), at: 0)
        var stored = quoted("bitstamp", tick, "27550.00")
        stored.isStored = true
        #expect(sut.read(stored, from: 0, at: 10).count == 2)
        _ = sut.read(quoted("coinbase", tick, "68901.23"), from: 1, at: 20)
        let actions = sut.read(quoted("kraken", tick, "68899.10"), from: 2, at: 30)
        guard case .answer(let reading)? = actions.first else {
            Issue.record("no answer")
            return
        }
        #expect(reading.source == "coinbase" && reading.failures.map(\.source) == ["bitstamp"])
    }

    @Test(.fault(65)) func `the winner is not disputed if the outvoted source has the same name`() {
        // Given a push feed that is wrong, and the same exchange by request
        var sut = makeSUT(heard: "100", "100")
        _ = sut.handle(.tick(tick), at: 0)
        _ = sut.read(quoted("binance", tick, "40"), from: 0, at: 70)
        // When
        _ = sut.read(quoted("binance", tick, "100"), from: 1, at: 140)
        let actions = sut.read(quoted("coinbase", tick, "100"), from: 2, at: 210)
        // Then
        guard case .answer(let reading)? = actions.first else {
            Issue.record("no answer")
            return
        }
        #expect(reading.quote?.price.text == "100" && reading.source == "binance" && !reading.isDisputed)
        #expect(reading.failures.map(\.kind) == [.disputed] && reading.ownDispute == false)
        #expect(reading.prices.map(\.price.text) == ["40", "100", "100"])
    }

    @Test func `a dispute that a source reports about its own sources is passed on with its prices`() {
        for isDisputed in [true, false] {
            var sut = Simulation(2, agree: .usual)
            _ = sut.handle(.tick(tick), at: 0)
            let failure = Failure(source: "a", kind: .disputed, message: "a 1, b 2")
            let inner = Reading(answering: tick, anyQuote("1"), from: "a", after: [failure])
                .disputed(["a": "1", "b": "2"], own: isDisputed)
            #expect(sut.read(inner, from: 0, at: 70) == [.answer(inner)])
        }
    }

    @Test func `a fallback's quote is passed on with all its members`() {
        var sut = Simulation(2, agree: .usual)
        _ = sut.handle(.tick(tick), at: 0)
        _ = sut.read(failed("primary", tick), from: 0, at: 70)
        var reading = quoted("fallback", tick)
        (reading.isClosed, reading.isStored, reading.isMadeUp) = (true, true, true)
        guard case .answer(let answer)? = sut.read(reading, from: 1, at: 140).first else {
            Issue.record("no answer")
            return
        }
        #expect(answer.isClosed && answer.isStored && answer.isMadeUp && answer.ownDispute == nil)
    }
}
