import Foundation
import TestSupport
import TestTraits
import Testing

/// `btc-price stocks://symbol/NVDA` opens the board of stocks at that symbol.
@Suite(.endToEnd) struct DeepLinkTests {
    @Test(arguments: [
        "stocks://symbol/NVDA", "stocks://symbol/nvda", "STOCKS://Symbol/NVDA/",
        "stocks://symbol/NVDA/chart/1d",
        "stocks://symbol/NVDA?from=mail#top",
    ])
    func `a link opens the board at its symbol, however it is written`(link: String) throws {
        let door = FrontDoor()
        try door.showArgumentsOfFormat()
        // When
        let result = door.run([link, "--demo", "-n1"])
        // Then
        let words = result.lines
        let open = try #require(words.firstIndex(of: "--open"))
        #expect(words[open + 1] == "NVDA" && words.starts(with: ["--style", "board"]))
        #expect(result.status == 0)
    }

    @Test func `a link asks for all 25 stocks, so that the board is there when the details are left`() {
        let result = FrontDoor().run(["stocks://symbol/KO", "--demo", "--json", "-n1"])
        #expect(result.lines.count == 25 && result.status == 0)
    }

    @Test func `an unknown symbol is an error that contains the right command`() {
        let result = RunningProgram.run("btc-price", ["stocks://symbol/BTC-USD"])
        #expect(
            result.errors == """
                btc-price: error: unknown symbol 'BTC-USD': expected one of the 25 stocks
                btc-price: try 'btc-price --stocks'

                """)
        #expect(result.status == 64 && result.output == "")
    }
}
