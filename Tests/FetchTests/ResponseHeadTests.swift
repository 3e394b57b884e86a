import TestTraits
import Testing

@testable import price_fetch

/// How response headers are read, and whether they prove where the body ends.
@Suite(.unit) struct ResponseHeadTests {
    private func head(_ lines: String...) -> ResponseHead { head(lines) }

    private func head(_ lines: [String]) -> ResponseHead {
        var head = ResponseHead()
        for line in lines { head.receive(Array(line.utf8).span) }
        return head
    }

    @Test(arguments: [
        (["Content-Length: 39\r\n"], true), (["content-length:39  \n"], true), (["X: 1\r\n"], false),
        (["Content-Length: 39\n", "Content-Length: 39\n"], true), (["Content-Length: 39 ,\t39\n"], true),
        (["Content-Length: 39\r\n", "Content-Length: 3\r\n"], false), (["Contenu-Length: 9\r\n"], false),
        (["Content-Length: 39, 3\r\n"], false), (["Content-Length: 3 9\r\n"], false),
        (["Transfer-Encoding: x, Chunked"], true), (["Content-Length: 1", "Transfer-Encoding: x"], false),
    ])
    func `only an unambiguous Content-Length or chunked encoding proves where the body ends`(
        fields: [String], isProven: Bool
    ) {
        #expect(head(["HTTP/1.1 200 OK\r\n"] + fields + ["\r\n"]).hasProvenEnd == isProven)
    }

    @Test func `an interim response is ignored`() {
        let sut = head(
            "HTTP/1.1 103 Early\r\n", "Content-Length: 3\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "\r\n")
        #expect(!sut.hasProvenEnd && sut.size == 60)
    }

    @Test func `a trailer after the body is ignored`() {
        let sut = head("HTTP/1.1 200 OK\r\n", "Transfer-Encoding: chunked\r\n", "\r\n", "Retry-After: 9\r\n")
        #expect(sut.retryAfter == nil && sut.hasProvenEnd && sut.size == 63)
    }

    @Test func `white space around the value of a header is ignored`() {
        #expect(head("HTTP/1.1 429 No\r\n", "Retry-After:  5\t \r\n", "\r\n").retryAfter == "5")
    }

    @Test(arguments: [
        ("0", 0 as Int?), ("75", 75), (" 75 ", 75), ("99999999999999999999", 1 << 31),
        ("9223372036854775807", 1 << 31), ("-1", nil), ("", nil), ("1.5", nil), ("soon", nil),
        ("75\u{E}", nil),
    ])
    func `an Age header is used only if it contains a whole number of seconds`(value: String, seconds: Int?) {
        #expect(head("HTTP/1.1 200 OK\r\n", "Age: \(value)\r\n").age == seconds.map { .seconds($0) })
    }

    @Test func `the date of an answer comes from the final response, not from an interim response`() {
        let sut = head(
            "HTTP/1.1 103 Early Hints\r\n", "Date: Sat, 21 Nov 2026 14:03:07 GMT\r\n", "\r\n",
            "HTTP/2 200\r\n", "date: Sun, 22 Nov 2026 14:03:07 GMT\r\n", "\r\n")
        #expect(sut.date.flatMap(HTTPDate.time)?.text == "2026-11-22T14:03:07.000Z")
        let (first, far) = ("Thu, 1 Jan 1970 00:00:00 GMT", "Sun, 22 Nov 2147483646 14:03:07 GMT")
        #expect(HTTPDate.time("yesterday") == nil && HTTPDate.time(first) != nil)
        #expect(HTTPDate.time(far)?.text == "9999-12-31T23:59:59.000Z")
    }

    @Test func `a Content-Length that is too large for an integer counts as larger than any limit`() {
        #expect(head("HTTP/1.1 200 OK\n", "content-length:39  \n", "\n").length == 39)
        #expect(head("HTTP/1.1 200 OK\r\n", "Content-Length: 99999999999999999999\r\n").length == .max)
    }
}
