import PipeCommon
import Testing

@testable import price_fetch

/// The examples of RFC 6901, section 5, and what it forbids.
struct JSONPointerTests {
    private let document = try! JSONParser.parse(
        #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"m~n":8," ":7,"01":3,"deep":{"x":[{"y":4}]}}"#.utf8)

    @Test(arguments: [
        ("/foo/0", JSON.string("bar")), ("/", .number("0")), ("/a~1b", .number("1")), ("/c%d", .number("2")),
        ("/m~0n", .number("8")), ("/ ", .number("7")), ("/01", .number("3")), ("/deep/x/0/y", .number("4")),
    ])
    func `it names a place`(text: String, value: JSON) {
        #expect(JSONPointer(text)?.value(in: document) == value)
    }

    @Test func `the empty pointer names the whole`() {
        #expect(JSONPointer("").value(in: document) == document)
    }

    @Test(arguments: [
        "/bar", "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/x", "/foo/0/x", "/deep/x/y", "//",
    ])
    func `a place that is not there has no value`(text: String) {
        #expect(JSONPointer(text) != nil && JSONPointer(text)?.value(in: document) == nil)
    }

    @Test(arguments: ["foo", "foo/0", "/~", "/~2", "/a~", "#/foo"])
    func `other text is no pointer`(text: String) {
        #expect(JSONPointer(text) == nil)
    }
}
