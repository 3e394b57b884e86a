import TestTraits
import Testing

@testable import price_format

/// How text is drawn in large characters, and which text cannot be drawn.
@Suite(.unit) struct BigTextTests {
    private func large(_ text: String, _ columns: Int, _ rows: Int) -> [String]? {
        BigText.lines(text, columns: columns, rows: rows, block: "#")
    }

    @Test(arguments: try! examples(inFile: "Frames/large-letters"))
    func `text is drawn in large characters exactly as in the example file`(
        title: String, text: String, picture: [String]
    ) throws {
        let width = try #require(picture.map(\.count).max())
        let lines = picture.map { $0 + String(repeating: " ", count: width - $0.count) }
        #expect(large(text, width, 5) == lines)
    }

    @Test func `ordinary, no-break and narrow no-break spaces can be drawn in large text`() {
        #expect(
            large("12\u{A0}345,67\u{202F}€", 50, 5) == [
                " #  ###    ### # # ###    ### ###     ##",
                "##    #      # # # #      #     #    ## ",
                " #  ###    ### ### ###    ###   #    #  ",
                " #  #        #   #   #  # # #   #    ## ",
                "### ###    ###   # ### #  ###   #     ##",
            ])
        #expect(large("1 2", 40, 5) == large("1\u{A0}2", 40, 5))
    }

    @Test func `a narrow dollar sign is used if a wide dollar sign would shrink the text or would not fit`() {
        #expect(
            large("$5", 9, 5) == [" #### ###", "# #   #  ", " ###  ###", "  # #   #", "####  ###"])
        #expect(large("$5", 8, 5) == [" ## ###", "##  #  ", " #  ###", " ##   #", "##  ###"])
        #expect(large("$5", 17, 5)?.first?.count == 14 && large("$5", 18, 5)?.first?.count == 18)
    }

    @Test func `text that just fits is drawn, but text that is too wide or too tall is not`() {
        #expect(large("12", 7, 5)?.count == 5 && large("12", 6, 5) == nil)
        #expect(large("12", 7, 4) == nil)
    }

    @Test(arguments: [(14, 5, 14, 5), (13, 5, 7, 5), (28, 10, 28, 10), (28, 9, 14, 5), (42, 15, 42, 15)])
    func `text is as large as the space allows`(columns: Int, rows: Int, width: Int, height: Int) throws {
        let lines = try #require(large("12", columns, rows))
        #expect(lines.count == height && lines.allSatisfy { $0.count == width })
    }

    @Test func `empty text cannot be enlarged, nor can text with a character that has no large form`() {
        #expect(large("1k", 80, 24) == nil && large("", 80, 24) == nil)
    }
}
