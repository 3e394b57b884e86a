import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// A source that has requested a pause is not queried during the pause, and no tick waits for the source.
/// `Simulation.expect` explains the steps.
@Suite(.unit) struct CooldownsTests {
    /// A simulation in which the primary reports, at the start, that it is rate-limited for two minutes.
    private func makeSUT(_ sources: Int = 2) -> Simulation {
        var sut = Simulation(sources, trip: 0, asking: anyTick(0))
        _ = sut.handle(Simulation.answer(of: 0, "l", to: anyTick(0))!, at: 0)
        _ = sut.advance(to: 1000)
        return sut
    }

    @Test(.fault(13))
    func `during its cooldown, the primary is listed as failed, and the fallback gets the whole budget`() {
        makeSUT().expect(
            "1000 tick → ask 1/1000", "1050 1v → 1v after 0 rate-limited: status 429")
    }

    @Test func `a source is queried again after its cooldown`() {
        makeSUT().expect("119999 tick → ask 1/1000")
        // A fallback that has been idle for a minute is queried as well.
        makeSUT().expect("120000 tick → ask 0/800, ask 1/1000")
        makeSUT().expect("120001 tick → ask 0/800, ask 1/1000")
    }

    @Test func `without a fallback, a tick during the primary's cooldown fails immediately`() {
        makeSUT(1).expect("1000 tick → none after 0 rate-limited: status 429")
    }

    @Test func `a cooldown continues after the source's process ends`() {
        makeSUT().expect("1000 0e → ", "2000 tick → ask 1/1000")
    }

    @Test func `a fallback is not queried during its cooldown`() {
        Simulation(trip: 0, asking: anyTick()).expect(
            "1 0x → ask 1/999", "2 1l → none after 0x and 1 rate-limited: status 429",
            "1000 tick → ask 0/800", "1001 0x → none after 0x and 1 rate-limited: status 429")
    }

    @Test
    func `only a failure with a retry time begins a cooldown, and no cooldown lasts longer than an hour`() {
        var sut = Simulation(1, trip: 0, asking: anyTick())
        let limited = Failure(source: "0", kind: .rateLimited, message: "any", retry: .seconds(1_000_000))
        _ = sut.read(Reading(answering: anyTick(), [limited]), from: 0, at: 0)
        sut.expect("3599999 tick → none after 0 rate-limited: any")
        sut.expect(
            "3600000 tick → ask 0/800", "3600001 0x → none after 0x", "3601000 tick → ask 0/800")
    }

    @Test(arguments: ["d", "u"])
    func `a source that rejects a symbol is queried only for other symbols during the cooldown`(
        answer: Character
    ) {
        // Given a source that rejects one symbol
        var sut = Simulation(budget: 2000, trip: 0)
        let tick = anyTick(symbol: "PEPE-USD")
        _ = sut.handle([.tick(tick), Simulation.answer(of: 0, answer, to: tick)!], at: 0)
        _ = sut.advance(to: 2000)
        // Then, until the cooldown ends, the source is queried for other symbols but not for the rejected symbol
        let end = answer == "d" ? 120_000 : 2500
        sut.expect(
            "2000 tick → ask 0/800", "2001 0v → 0v", "\(end - 1) tick PEPE-USD → ask 1/2000 PEPE-USD")
        sut.expect("\(end) tick PEPE-USD → ask 0/800 PEPE-USD")
    }

    @Test func `a reading with a quote does not begin a cooldown, whatever failures it lists`() {
        var sut = Simulation(1, trip: 0, asking: anyTick())
        let failure = Failure(source: "a", kind: .rateLimited, message: "any", retry: .seconds(60))
        let plain = Failure(source: "a", kind: .rateLimited, message: "any")
        func rescued(_ failure: Failure) -> Reading {
            Reading(answering: anyTick(), anyQuote(), from: "b", after: [failure])
        }
        #expect(sut.read(rescued(failure), from: 0, at: 10) == [.answer(rescued(plain))])
        sut.expect("1000 tick → ask 0/800")
    }
}
