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

    @Test func `a reading without a tick number is rejected, and so is a line that is too long`() {
        let unnumbered = Reading(answering: Tick(), anyQuote(), from: "x").line
        #expect(reason(.text(unnumbered[...])) == "reading without a tick number")
        #expect(reason(.tooLong) == "line longer than 64 KiB")
    }

    @Test func `more than 100 invalid lines in a row are a reason to restart the source`() throws {
        var sut = AnswerChecker()
        for _ in 0..<100 { _ = try? sut.reading(in: invalid) }
        #expect(try !sut.isHopeless && sut.reading(in: valid).text == quoteLine())
        for _ in 0..<100 { _ = try? sut.reading(in: invalid) }
        #expect(!sut.isHopeless)
        _ = try? sut.reading(in: invalid)
        #expect(sut.isHopeless)
    }
}
