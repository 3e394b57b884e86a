import PipeCommon
import TestSupport
import TestTraits
import Testing

@Suite(.unit) struct TickNumberingTests {
    @Test func `ticks without a number count from 0, or from the last number`() {
        var sut = TickNumbering()
        let numbers = [nil, nil, 7, nil, 3, nil, .max, nil].map {
            sut.complete(Tick(number: $0), at: anyTime()).number
        }
        #expect(numbers == [0, 1, 7, 8, 3, 4, .max, 0])
    }

    @Test func `ticks without a time get the current time; others keep theirs`() {
        var sut = TickNumbering()
        #expect(sut.complete(Tick(), at: anyTime(5)).at == anyTime(5))
        #expect(sut.complete(Tick(at: anyTime()), at: anyTime(5)).at == anyTime())
    }
}
