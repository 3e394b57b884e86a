import Foundation
import PipeCommon
import TestTraits
import Testing

@Suite(.unit) struct JSONReaderTests {
    private func parse(_ text: String) throws -> JSONTree {
        try JSONReader.read(text.utf8, JSONTree.init)
    }

    @Test(
        arguments: [
            ("null", .null), (" true ", .bool(true)), ("false", .bool(false)), ("[ ]", .array([])),
            ("{ }", .object([:])), ("{\"\":null}", .object([[]: .null])),
            ("[1,[2]]", .array([.number("1"), .array([.number("2")])])),
            ("{\"a\":{\"b\":[null]}}\r\n\t", .object([[0x61]: .object([[0x62]: .array([.null])])])),
            ("\"\"", .string("")), ("\"Ƀ😀\"", .string("Ƀ😀")), (#""\u0000""#, .string("\u{0}")),
            (#""\"\\\/\b\f\n\r\t""#, .string("\"\\/\u{8}\u{c}\n\r\t")),
            (#""\u0041\u00e9\u20AC""#, .string("Aé€")),
            (#""\ud83d\ude00""#, .string("😀")),
        ] as [(String, JSONTree)])
    func `values of every kind are read, and a number keeps its digits`(text: String, value: JSONTree) throws
    {
        #expect(try parse(text) == value)
        for number in [
            "0", "-0", "1.50", "103457.51", "1e5", "1E+05", "-1.5e-3",
            "123456789012345678901234567890.12345678901234567890",
        ] { #expect(try parse(number) == .number(number)) }
    }

    @Test func `text that is not valid JSON is rejected, and the error says why and where`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "malformed.tsv")
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            let text = String(parts[0]).replacing("␊", with: "\n").replacing("␁", with: "\u{1}")
            #expect(throws: InvalidInput(String(parts[1])), "\(text)") { try parse(text) }
        }
        #expect(throws: InvalidInput("not an array")) {
            try JSONReader.read("{}".utf8) { json throws(InvalidInput) in try json.array { _ in } }
        }
        #expect(throws: InvalidInput("not a JSON object")) {
            try JSONReader.read("[]".utf8) { json throws(InvalidInput) in try json.object { _, _ in } }
        }
    }

    @Test(
        arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80]] as [[UInt8]])
    func `text that is not UTF-8 is rejected`(bytes: [UInt8]) {
        #expect(throws: InvalidInput.self) { try JSONReader.read([0x22] + bytes + [0x22], JSONTree.init) }
    }

    @Test func `a duplicate is found among 300 members, even if its name contains an escape`() throws {
        let many = (0..<300).map { #""name\#($0)":\#($0)"# }
        #expect(try parse("{\(many.joined(separator: ","))}") != .null)
        #expect(throws: InvalidInput.self) { try parse("{\((many + many[7...7]).joined(separator: ","))}") }
        #expect(throws: InvalidInput.self) { try parse(#"{\#(many.joined(separator: ",")),"n\u0061me7":0}"#) }
        // Names that look the same but differ in their bytes are not duplicates.
        #expect(try parse(#"{"é":1,"e\u0301":2}"#) != .null)
    }

    @Test func `names that may be duplicates are compared in full, even in objects nested 120 levels deep`()
        throws
    {
        let alike = (0..<120).map { _ in #"{"ab":1,"ba":"# }.joined()
        #expect(try parse(alike + "0" + String(repeating: "}", count: 120)) != .null)
        let twice = alike + #"{"ab":1,"ba":1,"ab":1}"# + String(repeating: "}", count: 120)
        #expect(throws: InvalidInput("duplicate member at byte 1581")) { try parse(twice) }
    }

    @Test(arguments: [(128, true), (129, false), (100_000, false)])
    func `values may be nested up to 128 levels deep`(depth: Int, isAccepted: Bool) {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect((try? parse(text)) != nil ? isAccepted : !isAccepted)
    }

    @Test func `every proper prefix of an object is rejected`() {
        let text = #"{"symbol":"BTC\u0055SDT","price":"114721.34","n":[1.5e3,true,null]}"#
        for end in text.indices {
            #expect(throws: InvalidInput.self) { try parse(String(text[..<end])) }
        }
    }

    @Test(arguments: ["plain", "quote \" and \\ backslash", "\u{0}\u{10}\u{1F}\n\r\t", "Ƀ 😀 é", "\u{7F}"])
    func `text that is written as JSON is read back unchanged`(text: String) throws {
        var object = ByteBuffer()
        object.append("{" as String)
        object.add("text", text)
        object.append("}" as String)
        #expect(try parse(object.text) == .object([Array("text".utf8): .string(text)]))
        #expect(object.bytes.allSatisfy { $0 >= 0x20 })
    }
}

/// A JSON value as a tree, built with `JSONReader`.
indirect enum JSONTree: Equatable {
    case null
    case bool(Bool)
    case number(String)
    case string(String)
    case array([JSONTree])
    /// The keys are bytes, because Swift strings that look the same compare equal even if their bytes differ.
    case object([[UInt8]: JSONTree])

    init(_ json: inout JSONReader) throws(InvalidInput) {
        switch json.kind() {
        case .null:
            try json.skip()
            self = .null
        case .boolean: self = .bool(try json.boolean())
        case .number: self = .number(try json.number().string)
        case .string: self = .string(try json.string().string)
        case .array:
            var elements: [JSONTree] = []
            try json.array { (json) throws(InvalidInput) in elements.append(try JSONTree(&json)) }
            self = .array(elements)
        case .object:
            var members: [[UInt8]: JSONTree] = [:]
            try json.object { (name, json) throws(InvalidInput) in
                members[Array(name.string.utf8)] = try JSONTree(&json)
            }
            self = .object(members)
        }
    }
}
