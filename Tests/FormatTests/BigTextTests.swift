import TestTraits
import Testing

@testable import price_format

/// A price in large digits.
@Suite(.unit) struct BigTextTests {
    private func large(_ text: String, _ columns: Int, _ rows: Int) -> [String]? {
        BigText.lines(text, columns: columns, rows: rows, block: "#")
    }

    @Test func `every character of a price has a large form`() throws {
        let lines = try #require(large("-4,57", 80, 5))
        #expect(
            lines == [
                "        ##  ##        ######  ######",
                "        ##  ##        ##          ##",
                "######  ######        ######      ##",
                "            ##    ##      ##      ##",
                "            ##  ##    ######      ##",
            ])
        let signs = "0123456789$€£¥-.,'’ \u{A0}\u{202F}ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        for sign in signs { #expect(large(String(sign), 80, 5) != nil) }
        let letters = signs.filter { !"'’ \u{A0}\u{202F}".contains($0) }.map { large(String($0), 80, 5) }
        #expect(Set(letters).count == letters.count)
    }

    @Test(arguments: [
        (
            "0123456789",
            [
                "###  #  ### ### # # ### ### ### ### ###",
                "# # ##    #   # # # #   #     # # # # #",
                "# #  #  ### ### ### ### ###   # ### ###",
                "# #  #  #     #   #   # # #   # # #   #",
                "### ### ### ###   # ### ###   # ### ###",
            ]
        ),
        (
            "-.,'’$€£¥",
            [
                "         # #  ####  ##  ## # #",
                "         # # # #   ##   #  # #",
                "###           ###  #   ### ###",
                "       #       # # ##   #   # ",
                "    # #      ####   ## ###  # ",
            ]
        ),
        (
            "ABCDEFGHIJKLM",
            [
                " #  ##   ## ##  ### ###  ## # # ###   # # # #   #   #",
                "# # # # #   # # #   #   #   # #  #    # # # #   ## ##",
                "### ##  #   # # ##  ##  # # ###  #    # ##  #   # # #",
                "# # # # #   # # #   #   # # # #  #  # # # # #   #   #",
                "# # ##   ## ##  ### #    ## # # ###  #  # # ### #   #",
            ]
        ),
        (
            "NOPQRSTUVWXYZ",
            [
                "#  #  #  ##   #  ##   ## ### # # # # #   # # # # # ###",
                "## # # # # # # # # # #    #  # # # # #   # # # # #   #",
                "# ## # # ##  # # ##   #   #  # # # # # # #  #   #   # ",
                "#  # # # #   ### # #   #  #  # # # # ## ## # #  #  #  ",
                "#  #  #  #    ## # # ##   #  ###  #  #   # # #  #  ###",
            ]
        ),
    ])
    func `every letter looks like itself`(text: String, picture: [String]) {
        #expect(large(text, picture[0].count, 5) == picture)
    }

    @Test func `a price is drawn as its locale writes it`() {
        #expect(
            large("12\u{A0}345,67\u{A0}€", 50, 5) == [
                " #  ###    ### # # ###    ### ###     ##",
                "##    #      # # # #      #     #    ## ",
                " #  ###    ### ### ###    ###   #    #  ",
                " #  #        #   #   #  # # #   #    ## ",
                "### ###    ###   # ### #  ###   #     ##",
            ])
        #expect(
            large("£8'9¥", 30, 5) == [
                " ## ### # ### # #",
                " #  # # # # # # #",
                "### ###   ### ###",
                " #  # #     #  # ",
                "### ###   ###  # ",
            ])
    }

    @Test func `the dollar sign is narrow if the wide one would require smaller dots`() {
        #expect(
            large("$5", 9, 5) == [
                " #### ###", "# #   #  ", " ###  ###", "  # #   #", "####  ###",
            ])
        #expect(large("$5", 8, 5) == [" ## ###", "##  #  ", " #  ###", " ##   #", "##  ###"])
        #expect(large("$5", 17, 5)?.first?.count == 14)
        #expect(large("$5", 18, 5)?.first?.count == 18)
    }

    @Test func `a text that just fits is drawn, and a text that does not fit is not`() {
        #expect(large("12", 7, 5)?.count == 5)
        #expect(large("12", 6, 5) == nil)
        #expect(large("12", 7, 4) == nil)
    }

    @Test(arguments: [(14, 5, 14, 5), (13, 5, 7, 5), (28, 10, 28, 10), (28, 9, 14, 5), (42, 15, 42, 15)])
    func `the largest dots that fit are used`(columns: Int, rows: Int, width: Int, height: Int) throws {
        let lines = try #require(large("12", columns, rows))
        #expect(lines.count == height && lines.allSatisfy { $0.count == width })
    }

    @Test func `a text with other characters cannot be enlarged`() {
        #expect(large("1k", 80, 24) == nil)
        #expect(large("", 80, 24) == nil)
    }
}
