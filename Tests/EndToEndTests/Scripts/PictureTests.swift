import Foundation
import TestSupport
import TestTraits
import Testing

@Suite(.endToEnd, .enabled(if: Programs.has("tmux"), "needs tmux"))
struct PictureTests {
    private let folder = TemporaryFolder()

    /// Draws a picture in two versions, one for a dark page and one for a light page.
    private func draw(_ name: String) -> RunningProgram.Result {
        RunningProgram.run(
            Programs.project.appending(path: "scripts/pictures").path,
            ["--quick", "--output", folder.path, name],
            environment: ["BTC_PRICE_PROGRAMS": Programs.folder.path])
    }

    @Test func `a picture of the board is drawn from a terminal's screen`() throws {
        // When
        let result = draw("board")
        // Then
        #expect(result.output == "\(folder.path)/board.svg\n\(folder.path)/board-light.svg\n", "\(result)")
        #expect(result.errors == "" && result.status == 0)
        let picture = try #require(folder.contents("board.svg"))
        #expect(picture.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 696 404\""))
        #expect(picture.hasSuffix("</g>\n</svg>\n"))
        // Each word is a text element at its own position, in the color that the word has on the terminal.
        let words = picture.matches(
            of: #/<text x="([0-9.]+)" y="([0-9.]+)" fill="(#[0-9a-f]{6})"[^<]*>([^<]+)<\/text>/#)
        let symbols = words.filter { $0.4.hasSuffix("-USD") }
        #expect(symbols.count == 16 && Set(symbols.map(\.1)).count == 1 && Set(symbols.map(\.2)).count == 16)
        #expect(words.contains { $0.4 == "●" && $0.3 == "#e6c15c" })
        #expect(words.count == picture.components(separatedBy: "<text").count - 1)
        #expect(!picture.contains("\u{1B}"))
        // The picture for a light page differs only in its colors.
        let light = try #require(folder.contents("board-light.svg"))
        func colorless(_ picture: String) -> String { picture.replacing(/fill="#[0-9a-f]{6}"/, with: "") }
        #expect(colorless(light) == colorless(picture) && light != picture)
    }

    // The board's terminal is wider here than in its picture. In a narrow terminal, today's changes would
    // replace the names as soon as the first candles arrive, which may be before all symbols are shown.
    @Test(arguments: [
        ("lines", 76, 18), ("screen", 80, 28), ("board", 120, 22), ("details", 100, 30), ("median", 100, 30),
    ])
    func `each word in a picture is printed by the command in the picture's caption`(
        name: String, columns: Int, rows: Int
    ) throws {
        // Given
        let result = draw(name)
        let picture = try #require(folder.contents("\(name).svg"), "\(result)")
        let caption = try #require(picture.firstMatch(of: /<title>(btc-price .+)<\/title>/)?.1)
        let drawn = picture.matches(of: /<text [^>]*>([^<]+)<\/text>/).map { String($0.1) }
        #expect(drawn.contains(name == "lines" || name == "board" ? "$" : "┤"))
        // Only words are compared, because prices and times change from run to run. Words of failure messages
        // are left out, because failures may occur on a busy machine while the picture is drawn.
        let failures = ["answer", "network", "unreachable", "only", "probed", "after", "failures"]
        let words = Set(drawn.filter { $0.wholeMatch(of: /[A-Za-z]{3,}|[A-Z]+-USD/) != nil })
        #expect(words.count > 2)
        // When
        let terminal = Terminal(environment: ["XDG_CACHE_HOME": folder.path, "LC_ALL": "C.UTF-8"])
        terminal.resize(columns, rows)
        let start = terminal.mark
        terminal.type("\(caption)\r")
        // Then
        var missing = words
        _ = terminal.waitUntil {
            let shown = terminal.screen.dropFirst(start + caption.count)
            missing = missing.filter { !failures.contains($0) && !shown.contains($0) }
            return missing.isEmpty
        }
        #expect(missing == [])
        terminal.type(name == "lines" ? "\u{3}" : "q")
        #expect(terminal.waitFor("ready> ", after: start + caption.count))
    }
}
