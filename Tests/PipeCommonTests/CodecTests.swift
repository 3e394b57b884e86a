import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The codec compared with a slower reference: Foundation's decoder plus the rules for records.
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

    @Test
    func `the codec reads a line as Foundation does, but may reject a mutated line that Foundation accepts`()
    {
        var random = SeededRandom(2026)
        var (accepted, rejected) = (0, 0)
        let forms = Self.forms.map { Array($0.utf8) }
        for line in forms { #expect((try? Reading(line: line)) == LibraryReading.reading(line)) }
        for _ in 0..<FullSize.count(short: 10_000, full: 1_000_000) {
            let line = random.mutation(of: forms.randomElement(using: &random)!)
            let (reading, expected) = (try? Reading(line: line), LibraryReading.reading(line))
            if reading == nil, expected != nil { rejected += 1 }
            guard let reading else { continue }
            accepted += 1
            #expect(reading == expected, "\(String(decoding: line, as: UTF8.self))")
            #expect(try! Reading(line: reading.line) == reading, "\(String(decoding: line, as: UTF8.self))")
        }
        #expect(accepted > 100 && rejected < accepted / 20, "\(accepted) accepted, \(rejected) rejected")
    }
}

/// The reference for the codec: a reading that Foundation decodes and that is then checked against the rules for
/// records. Foundation accepts more lines than the codec does, such as lines with duplicate members or with
/// 12.0 where an integer is required.
private struct LibraryReading: Decodable {
    struct Quote: Decodable {
        let value, currency, timestamp: String
        let market: String?
    }

    struct Failure: Decodable {
        let source, kind, message: String
        let retry: Int?

        enum CodingKeys: String, CodingKey {
            case source, kind, message
            case retry = "retry_ms"
        }
    }

    enum CodingKeys: String, CodingKey {
        case tick, at, symbol, source, quote, failures, error
        case timeout = "timeout_ms"
    }

    let tick, timeout: Int?
    let at, symbol, source: String?
    let quote: Quote?
    let failures: [Failure]?
    let error: Bool?

    /// - Returns: nil if the line is not a valid reading.
    static func reading(_ line: [UInt8]) -> Reading? {
        (try? JSONDecoder().decode(LibraryReading.self, from: Data(line)))?.reading
    }

    private var reading: Reading? {
        guard Self.isAbsent(tick, orFrom: 0), Self.isAbsent(timeout, orFrom: 1) else { return nil }
        let (time, pair) = (at.flatMap(Timestamp.init), symbol.flatMap { Symbol($0) })
        guard (at == nil) == (time == nil), (symbol == nil) == (pair == nil) else { return nil }
        var failures: [PipeCommon.Failure] = []
        for failure in self.failures ?? [] {
            guard let kind = PipeCommon.Failure.Kind(rawValue: failure.kind),
                Self.isAbsent(failure.retry, orFrom: 1)
            else { return nil }
            failures.append(
                .init(
                    source: failure.source, kind: kind, message: failure.message,
                    retry: failure.retry.map { .milliseconds($0) }))
        }
        var reading = Reading(answering: Tick(number: tick, at: time, symbol: pair), failures)
        reading.error = error
        reading.source = source.map { printable($0, atMost: 64) }
        if let quote {
            let market = quote.market.flatMap { InlineText($0) }
            guard source != nil, let price = Price(quote.value), let currency = Currency(quote.currency),
                let time = Timestamp(quote.timestamp), (quote.market == nil) == (market == nil)
            else { return nil }
            reading.quote = .init(price: price, currency: currency, timestamp: time, market: market)
        }
        return quote == nil && failures.isEmpty && error != true ? nil : reading
    }

    private static func isAbsent(_ number: Int?, orFrom least: Int) -> Bool {
        number.map { $0 >= least } ?? true
    }
}
