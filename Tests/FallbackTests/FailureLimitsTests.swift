import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The number of failures in a line is limited so that the next stage can read the line, however many
/// failures the sources report.
@Suite(.unit) struct FailureLimitsTests {
    private let tick = Tick(
        number: .max, at: anyTime(), symbol: Symbol(String(repeating: "X", count: 32)))

    /// Failures of the maximum length. Each message begins with a two-digit number.
    private func failures(_ numbers: Range<Int>) -> [Failure] {
        numbers.map { number in
            let text = String(repeating: "\u{1F600}", count: 198)
            return Failure(source: text, kind: .rateLimited, message: String(number % 90 + 10) + text)
        }
    }

    @Test(arguments: [(7, 0), (8, 0), (9, 1), (50, 42)])
    func `only the last eight failures of a source are kept`(count: Int, first: Int) {
        var sut = Simulation(asking: tick)
        _ = sut.read(Reading(answering: tick, failures(0..<count)), from: 0, at: 1)
        let actions = sut.read(quoted("fallback", tick), from: 1, at: 2)
        let expected = Reading(answering: tick, anyQuote(), from: "fallback", after: failures(first..<count))
        #expect(actions == [.answer(expected)])
    }

    @Test func `a reading with a quote keeps only its last eight failures`() {
        var sut = Simulation(1, asking: tick)
        let rescued = Reading(answering: tick, anyQuote(), from: "inner", after: failures(0..<50))
        let expected = Reading(answering: tick, anyQuote(), from: "inner", after: failures(42..<50))
        #expect(sut.read(rescued, from: 0, at: 1) == [.answer(expected)])
    }

    @Test(arguments: [7, 20, 100])
    func `no line exceeds 64 KiB, however many sources report failures of maximum size`(sources: Int) throws {
        // Given sources of which only the last returns a quote
        var sut = Simulation(sources, hedge: 0, asking: tick)
        let failed = (0..<sources - 1).map {
            FallbackPolicy.Event.reading(Reading(answering: tick, failures(0..<50)), from: $0)
        }
        // When all readings arrive together
        let name = String(repeating: "\u{1F600}", count: 64)
        let quote = FallbackPolicy.Event.reading(quoted(name, tick), from: sources - 1)
        let actions = sut.handle(failed + [quote], at: 0)
        // Then the answer contains the quote and 48 failures and fits into 64 KiB
        guard case .answer(let reading)? = actions.last else {
            Issue.record("no answer")
            return
        }
        #expect(reading.quote != nil && reading.failures.count == 48)
        #expect(reading.line.count <= 64 * 1024)
    }
}
