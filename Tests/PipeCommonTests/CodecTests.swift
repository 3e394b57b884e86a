import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The codec against slower ones: a plain parser, and the library's decoder with the rules of the records.
@Suite(.unit) struct CodecTests {
    private static let forms: [String] = [
        "{}", #"{"tick":12}"#, #"{"tick":12,"at":"2026-11-21T14:03:07.000Z"}"#,
        #"{"tick":12,"at":"2026-11-21T14:03:07.000Z","symbol":"ETH-USD","timeout_ms":200}"#,
        #"{"tick":12,"at":"2026-11-21T14:03:07.000Z","source":"binance","quote":\#(quote)}"#,
        #"{"tick":12,"at":"2026-11-21T14:03:07.000Z","source":"binance","quote":\#(quote),"error":false}"#,
        #"{"tick":3,"symbol":"A.b_C-9","source":"coinbase","quote":\#(quote),"failures":[\#(failure)]}"#,
        #"{"tick":3,"failures":[\#(failure),\#(failure)],"error":true}"#, #"{"tick":9,"error":true}"#,
        #"{"tick":3,"source":"x","quote":\#(quote),"failures":[\#(failure)],"error":true}"#,
        #"{"symbol":"BTC-USD","source":"binance","quote":\#(quote),"check":"1a2b3c4d"}"#,
        #"{"tick":3,"source":"x","quote":{"value":"1.5","currency":"USDT",\#(time),"market":"XBT/USD"}}"#,
        #" { "error" : null , "x" : { "a" : [ 1 , 2.5e-3 , true ] } , "quote" : \#(quote) , "source" : "é😀" } "#,
        #"{"\u0074ick":7,"source":"\ud83d\ude00\n\u0000","quote":{"value":"\u0031","currency":"USD",\#(time)}}"#,
    ]
    private static let time = #""timestamp":"2024-02-29T23:59:59.999Z""#
    private static let quote =
        #"{"value":"68901.23","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}"#
    private static let failure =
        #"{"source":"binance","kind":"rate-limited","message":"status 429 …","retry_ms":3000}"#

    @Test func `every form is read as the library reads it`() {
        for form in Self.forms {
            let line = Array(form.utf8)
            #expect((try? Reading(line: line)) == LibraryReading.reading(line), "\(form)")
            #expect(tree(line) == plainTree(line) && tree(line) != nil, "\(form)")
        }
        #expect(Self.forms.count { (try? Reading(line: $0.utf8)) != nil } == 10)
    }

    @Test func `whatever becomes of a line, it is read or refused as the library does`() {
        var random = SeededRandom(2026)
        var accepted = 0
        for _ in 0..<FullSize.count(short: 10_000, full: 1_000_000) {
            let line = random.mutation(of: Array(Self.forms.randomElement(using: &random)!.utf8))
            let reading = try? Reading(line: line)
            #expect(reading == LibraryReading.reading(line), "\(String(decoding: line, as: UTF8.self))")
            #expect(tree(line) == plainTree(line), "\(String(decoding: line, as: UTF8.self))")
            guard let reading else { continue }
            accepted += 1
            #expect(try! Reading(line: reading.line) == reading, "\(String(decoding: line, as: UTF8.self))")
        }
        #expect(accepted > 100)
    }

    private func tree(_ line: [UInt8]) -> PlainJSON? {
        try? JSONReader.read(line, PlainJSON.init)
    }

    private func plainTree(_ line: [UInt8]) -> PlainJSON? {
        try? PlainParser.parse(line)
    }
}
