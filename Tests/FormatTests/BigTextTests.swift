import TestTraits
import Testing

@testable import price_format

/// The large digits.
@Suite(.unit) struct BigTextTests {
    private func large(_ text: String, _ columns: Int, _ rows: Int) -> [String]? {
        BigText.lines(text, columns: columns, rows: rows, block: "#")
    }

    @Test func `every sign of a price has a letter`() throws {
        let lines = try #require(large("-4,57", 80, 5))
        #expect(
            lines == [
                "        ##  ##        ######  ######",
                "        ##  ##        ##          ##",
                "######  ######        ######      ##",
                "            ##    ##      ##      ##",
                "            ##  ##    ######      ##",
            ])
        for sign in "0123456789$€£¥-.,' \u{A0}\u{202F}" { #expect(large(String(sign), 80, 5) != nil) }
    }

    @Test func `a text that fits exactly is shown, and one that does not is not`() {
        #expect(large("12", 7, 5)?.count == 5)
        #expect(large("12", 6, 5) == nil)
        #expect(large("12", 7, 4) == nil)
    }

    @Test(arguments: [(14, 5, 14, 5), (13, 5, 7, 5), (28, 10, 28, 10), (28, 9, 14, 5), (42, 15, 42, 15)])
    func `the largest dots that fit are used`(columns: Int, rows: Int, width: Int, height: Int) throws {
        let lines = try #require(large("12", columns, rows))
        #expect(lines.count == height && lines.allSatisfy { $0.count == width })
    }

    @Test func `other letters have no large form`() {
        #expect(large("1K", 80, 24) == nil)
        #expect(large("", 80, 24) == nil)
    }
}
