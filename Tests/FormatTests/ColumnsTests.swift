import TestTraits
import Testing

@testable import price_format

/// How many terminal columns a text takes, regardless of the locale, and how texts are shortened and wrapped.
@Suite(.unit) struct ColumnsTests {
    @Test(arguments: [
        ("BTC", 3), ("€1.00", 5), ("▂▃█·", 4), ("Ünïcödé", 7), ("e\u{301}", 1), ("\u{301}", 0), ("11月", 4),
        ("한국", 4), ("\u{1100}\u{1161}", 2), ("🚀", 2), ("Moon 🚀!", 8), ("⚡⭐✅", 6), ("↑↓⏎", 3),
        ("🇩🇪", 2), ("ก็", 1), ("1\u{200D}", 1), ("（", 2), ("𠀀", 2),
    ])
    func `wide characters take two columns, and combining marks take none`(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test func `when a text is shortened, a wide character counts as two columns`() {
        #expect("🚀🚀🚀".shortened(to: 5, "…") == "🚀🚀…" && "🚀🚀🚀".shortened(to: 4, "…") == "🚀…")
        #expect("a🚀b".shortened(to: 3, "…") == "a…", "no character in the middle is left out")
        #expect(["a 1.05", "a b c d"].map { $0.shortenedBetweenPrices(to: 5, "…") } == ["a …", "a b …"])
    }

    @Test func `a word that is longer than a line continues on the next line unless it contains a digit`() {
        let lines = Styled("https://🚀.example is at $68,901.23").wrapped(to: 9)
        let shown = lines.map { $0.text(Palette(usesColor: false)) }
        #expect(shown == ["https://", "🚀.exampl", "e is at", "$68,901.23"])
    }
}
