import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// How pointers such as the examples in RFC 6901, section 5, select values, and which text is not a valid pointer.
@Suite(.unit) struct JSONPointerTests {
    private let document =
        #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"m~n":8," ":7,"01":3,"deep":{"x":[{"y":4}]}}"#

    private func value(_ pointer: JSONPointer) throws -> String? {
        pointer.value(in: try JSON(parsing: document.utf8)).map {
            $0.string ?? $0.number ?? ($0.members == nil ? "another value" : "object")
        }
    }

    @Test(arguments: [
        ("/foo/0", "bar"), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"), ("/m~0n", "8"), ("/ ", "7"),
        ("/01", "3"), ("/deep/x/0/y", "4"), ("", "object"), ("/bar", nil), ("/foo/2", nil), ("/foo/-", nil),
        ("/foo/00", nil), ("/foo/01", nil), ("/foo/x", nil), ("/foo/0/x", nil), ("/deep/x/y", nil),
        ("//", nil),
    ])
    func `a pointer selects a value, the whole document or nothing`(text: String, value: String?) throws {
        #expect(try self.value(JSONPointer(text)!) == value)
    }

    @Test(arguments: ["foo", "foo/0", "/~", "/~2", "/a~", "#/foo"])
    func `text that is not a valid JSON pointer is rejected`(text: String) {
        #expect(JSONPointer(text) == nil)
    }
}
