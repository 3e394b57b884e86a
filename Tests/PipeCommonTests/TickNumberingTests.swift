import PipeCommon
import TestSupport
import TestTraits
import Testing

@Suite(.unit) struct TickNumberingTests {
    @Test
    func `a tick without a number gets the preceding tick's number plus 1, or 0 if it is the first tick`() {
        // After the largest possible number, the numbers begin at 0 again.
        var sut = TickNumbering()
        let numbers = [nil, nil, 7, nil, 3, nil, .max, nil].map {
            sut.complete(Tick(number: $0), at: anyTime()).number
        }
        #expect(numbers == [0, 1, 7, 8, 3, 4, .max, 0])
    }

    @Test func `a tick without a time gets the current time, and a tick with a time keeps its time`() {
        var sut = TickNumbering()
        #expect(sut.complete(Tick(), at: anyTime(5)).at == anyTime(5))
        #expect(sut.complete(Tick(at: anyTime()), at: anyTime(5)).at == anyTime())
    }
}
