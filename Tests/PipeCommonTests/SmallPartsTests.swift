import PipeCommon
import TestSupport
import Testing

struct PrintableTests {
    @Test(arguments: [
        ("plain ƀ 😀 text", "plain ƀ 😀 text"), ("a\u{1B}[31mb", "a?[31mb"), ("a\r\nb", "a??b"),
        ("a\u{202E}b", "a?b"),
        ("\u{0}\u{7F}\u{85}\u{2028}\u{2029}\u{FEFF}\u{200B}", "???????"), ("\u{E000}", "?"),
    ])
    func `control, format and line characters become question marks`(text: String, clean: String) {
        #expect(printable(text) == clean)
    }

    @Test func `long text is cut, and the cut shows`() {
        #expect(printable("abcdef", atMost: 6) == "abcdef")
        #expect(printable("abcdefg", atMost: 6) == "abcde…")
        #expect(
            printable("e" + String(repeating: "\u{301}", count: 4000), atMost: 6).unicodeScalars.count == 6)
    }
}

struct SaidOnChangeTests {
    @Test func `a trouble is news when it begins, changes or comes back`() {
        var sut = ChangeFilter()
        let troubles: [String?] = [nil, "full", "full", "gone", "gone", nil, "gone"]
        #expect(troubles.map { sut.changed(to: $0) } == [nil, "full", nil, "gone", nil, nil, "gone"])
    }
}

struct TickNumberingTests {
    @Test func `ticks without a number are numbered from 0, or behind the last number`() {
        var sut = TickNumbering()
        let numbers = [nil, nil, 7, nil, 3, nil, .max, nil].map {
            sut.complete(Tick(number: $0), at: anyTime()).number
        }
        #expect(numbers == [0, 1, 7, 8, 3, 4, .max, 0])
    }

    @Test func `ticks without a time are due now; others keep theirs`() {
        var sut = TickNumbering()
        #expect(sut.complete(Tick(), at: anyTime(5)).at == anyTime(5))
        #expect(sut.complete(Tick(at: anyTime()), at: anyTime(5)).at == anyTime())
    }
}

struct DeadlineTests {
    private let start = Deadline.Instant.now

    @Test(arguments: [(799, false, 1), (800, true, 0), (801, true, 0)])
    func `the time is up at the deadline itself`(elapsed: Int, hasPassed: Bool, remaining: Int) {
        let sut = Deadline(in: .milliseconds(800), from: start)
        let now = start + .milliseconds(elapsed)
        #expect(sut.hasPassed(at: now) == hasPassed)
        #expect(sut.remaining(at: now) == .milliseconds(remaining))
    }
}
