import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The subjects that are kept when the maximum number of subjects is reached. A subject is a symbol, or a
/// symbol together with a candle length.
@Suite(.unit) struct SubjectsTests {
    private func subject(_ number: Int) -> Subject { Subject(Symbol("S\(number)")!) }

    /// A `Subjects` value that contains the maximum number of subjects.
    private func makeSUT() -> Subjects {
        var sut = Subjects(sources: 2, agree: .usual)
        for number in 0..<Subjects.most { #expect(sut.place(of: subject(number)) { _ in false } == number) }
        return sut
    }

    @Test(.fault(72)) func `a new subject replaces a subject that was not used recently`() {
        var sut = makeSUT()
        #expect(sut.place(of: subject(-1)) { _ in false } == 0 && sut.known(subject(0)) == nil)
        // A subject that was used recently keeps its place.
        _ = sut.place(of: subject(1)) { _ in false }
        #expect(sut.place(of: subject(-2)) { _ in false } == 2 && sut.known(subject(1)) == 1)
        // When the search returns to a subject that has not been used in the meantime, the subject can be replaced.
        for n in 3...10_501 { #expect(sut.place(of: subject(-n)) { _ in false } == n % 10_500) }
        #expect(sut.known(subject(-1)) == nil)
    }

    @Test(.fault(72)) func `a subject with pending ticks keeps its place`() {
        var sut = makeSUT()
        #expect(sut.place(of: subject(-1)) { $0 < 15 } == 15)
        #expect(sut.place(of: subject(-2)) { $0 < 32 } == 10_500)
        var simulation = Simulation(1)
        _ = simulation.handle((0...10_500).map { .tick(anyTick(symbol: "S\($0)")) }, at: 0)
        simulation.expect("1 0v S0 → 0v S0")
    }

    @Test(.fault(72))
    func `at the maximum number of subjects, a source's reading neither adds nor replaces a subject`() {
        var sut = makeSUT()
        #expect(sut.place(of: quoted("a", anyTick(symbol: "NEW"))) == nil)
        #expect(sut.place(of: quoted("a", anyTick(symbol: "S7"))) == 7)
    }
}
