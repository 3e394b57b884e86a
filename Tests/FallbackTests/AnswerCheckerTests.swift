import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fallback

/// The lines that price-fallback accepts from a source, and the number of invalid lines that it tolerates.
@Suite(.unit) struct AnswerCheckerTests {
    private let invalid = LineReader.Line.text(Array("{".utf8)[...])
    private let valid = LineReader.Line.text(Array(quoteLine().utf8)[...])

    private func reason(_ line: LineReader.Line) -> String? {
        var sut = AnswerChecker()
        do throws(InvalidInput) {
            _ = try sut.reading(in: line)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `a reading with a tick number is accepted as an answer`() throws {
        var sut = AnswerChecker()
        #expect(try sut.reading(in: valid).text == quoteLine())
    }

    @Test func `readings without a tick number and lines that are too long are rejected`() {
        let unnumbered = Reading(answering: Tick(), anyQuote(), from: "x").line
        #expect(reason(.text(unnumbered[...])) == "reading without a tick number")
        #expect(reason(.tooLong) == "line longer than 64 KiB")
    }

    @Test func `a source must be restarted after more than 100 invalid lines in a row`() throws {
        var sut = AnswerChecker()
        for _ in 0..<100 { _ = try? sut.reading(in: invalid) }
        #expect(try !sut.isHopeless && sut.reading(in: valid).text == quoteLine())
        for _ in 0..<100 { _ = try? sut.reading(in: invalid) }
        #expect(!sut.isHopeless)
        _ = try? sut.reading(in: invalid)
        #expect(sut.isHopeless)
    }
}
