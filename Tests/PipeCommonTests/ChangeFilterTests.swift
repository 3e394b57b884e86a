import PipeCommon
import TestTraits
import Testing

@Suite(.unit) struct ChangeFilterTests {
    @Test func `a problem is reported when it begins, changes or comes back`() {
        var sut = ChangeFilter()
        let problems: [String?] = [nil, "full", "full", "gone", "gone", nil, "gone"]
        #expect(problems.map { sut.changed(to: $0) } == [nil, "full", nil, "gone", nil, nil, "gone"])
    }
}
