import PipeCommon
import TestTraits
import Testing

@Suite(.unit) struct PrintableTests {
    @Test(arguments: [
        ("plain ƀ 😀 text", "plain ƀ 😀 text"), ("a\u{1B}[31mb", "a?[31mb"), ("a\r\nb", "a??b"),
        ("a\u{202E}b", "a?b"),
        ("\u{0}\u{7F}\u{85}\u{2028}\u{2029}\u{FEFF}\u{200B}", "???????"), ("\u{E000}", "?"),
    ])
    func `control, format, separator and private-use characters become question marks`(
        text: String, clean: String
    ) {
        #expect(printable(text) == clean)
    }

    @Test func `long text is truncated with an ellipsis`() {
        #expect(printable("abcdef", atMost: 6) == "abcdef")
        #expect(printable("abcdefg", atMost: 6) == "abcde…")
        #expect(
            printable("e" + String(repeating: "\u{301}", count: 4000), atMost: 6).unicodeScalars.count == 6)
    }
}
