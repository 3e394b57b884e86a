import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Every record is read and written back with the same members, in the documented order.
@Suite(.unit) struct RecordTests {
    private func roundTrip<Value: Record>(_ line: String, as type: Value.Type) throws -> String {
        try Value(line: line.utf8).text
    }

    @Test(arguments: [
        "{}",
        #"{"tick":0}"#,
        #"{"symbol":"ETH-USD"}"#,
        #"{"tick":12,"at":"2026-11-21T14:03:07.000Z"}"#,
        #"{"tick":12,"at":"2026-11-21T14:03:07.000Z","symbol":"ETH-USD","timeout_ms":200}"#,
        #"{"tick":12,"at":"2026-11-20T00:00:00.000Z","symbol":"ETH-USD","candle":"1d","timeout_ms":200}"#,
    ])
    func `a tick is written as it was read`(line: String) throws {
        #expect(try roundTrip(line, as: Tick.self) == line)
    }

    private static let quote =
        #"{"value":"68901.23","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}"#
    private static let candle =
        #"{"value":"59010.1","currency":"EUR","timestamp":"2026-11-21T00:00:00.000Z","market":"XBTEUR","open":"58000.0","high":"59990.5","low":"57100.25","volume":"0"}"#
    private static let prices = #"[{"source":"a","value":"27550.00"},{"source":"b","value":"68901.23"}]"#
    private static let failure = #"{"source":"binance","kind":"timeout","message":"no answer within 800 ms"}"#

    @Test(arguments: [
        #"{"source":"binance","quote":\#(quote)}"#,
        #"{"tick":12,"at":"2026-11-21T14:03:07.000Z","symbol":"BTC-USD","source":"binance","quote":\#(quote),"error":false}"#,
        #"{"source":"binance","quote":{"value":"1.5","currency":"USDT","timestamp":"2026-11-21T14:03:07.412Z","market":"BTCUSDT"}}"#,
        #"{"tick":12,"failures":[\#(failure)]}"#,
        #"{"tick":12,"source":"coinbase","quote":\#(quote),"failures":[\#(failure),\#(failure)]}"#,
        #"{"tick":12,"source":"coinbase","quote":\#(quote),"failures":[\#(failure)],"error":true}"#,
        #"{"tick":12,"error":true}"#,
        #"{"tick":12,"at":"2026-11-20T00:00:00.000Z","candle":"1h","source":"binance","quote":\#(quote)}"#,
        #"{"at":"2026-11-20T00:00:00.000Z","candle":"1d","source":"binance","quote":\#(candle),"error":false,"closed":true}"#,
        #"{"source":"echo","quote":\#(quote),"made_up":true}"#,
        #"{"source":"store","quote":\#(quote),"stored":true}"#,
        #"{"tick":1,"source":"a","quote":\#(quote),"failures":[\#(failure)],"prices":\#(prices),"disputed":true}"#,
        #"{"tick":1,"source":"a","quote":\#(quote),"failures":[\#(failure)],"prices":\#(prices),"disputed":false}"#,
        #"{"tick":1,"failures":[\#(failure)],"prices":\#(prices)}"#,
    ])
    func `a reading is written as it was read`(line: String) throws {
        #expect(try roundTrip(line, as: Reading.self) == line)
    }

    @Test func `order, white space, null and unknown members do not matter`() throws {
        let line = """
             { "error" : null, "unknown" : {"a":[1,2]}, "quote":{"timestamp":"2026-11-21T14:03:07.412Z",\
            "currency":"USD" , "value":"68901.23","x":0},"source":"binance" ,"tick": 12 }\u{20}
            """
        #expect(
            try roundTrip(line, as: Reading.self) == #"{"tick":12,"source":"binance","quote":\#(Self.quote)}"#
        )
    }

    @Test(arguments: [
        // Two sources may have one name, so only the member tells.
        ("binance", #","disputed":false"#, false),
        ("coinbase", #","disputed":true"#, true),
        ("binance", #","disputed":true,"error":true"#, false),
        // A recording of an earlier version.
        ("binance", "", true),
        ("coinbase", "", false),
    ])
    func `a new quote is disputed if its reading says so`(source: String, members: String, isDisputed: Bool)
        throws
    {
        let failure = #"{"source":"\#(source)","kind":"disputed","message":"binance 1.5, coinbase 2.5"}"#
        let line = #"{"source":"binance","quote":\#(Self.quote),"failures":[\#(failure)]\#(members)}"#
        #expect(try Reading(line: line.utf8).isDisputed == isDisputed)
    }

    @Test(arguments: [
        #"{"tick":0,"at":"2026-11-23T13:33:18.468Z","source":"primary","quote":{"value":"61175.98","currency":"USD","timestamp":"2026-11-23T13:33:18.491Z"},"error":false}"#,
        #"{"tick":4,"at":"2026-11-23T13:33:22.468Z","source":"fallback","quote":{"value":"61170.01","currency":"USD","timestamp":"2026-11-23T13:33:23.270Z"},"failures":[{"source":"primary","kind":"timeout","message":"no answer within 800 ms"}],"error":false}"#,
        #"{"tick":7,"at":"2026-11-23T13:33:25.468Z","source":"fallback","quote":{"value":"61176.00","currency":"USD","timestamp":"2026-11-23T13:33:25.270Z"},"failures":[{"source":"primary","kind":"network","message":"the network is unreachable"},{"source":"fallback","kind":"network","message":"the network is unreachable"}],"error":true}"#,
        #"{"tick":0,"at":"2026-10-24T00:00:00.000Z","symbol":"BTC-EUR","candle":"1d","source":"demo","quote":{"value":"39591.55","currency":"EUR","timestamp":"2026-10-25T00:00:00.000Z"},"error":false}"#,
        #"{"tick":30,"at":"2026-11-23T00:00:00.000Z","symbol":"BTC-GBP","candle":"1d","source":"demo","quote":{"value":"48402.25","currency":"GBP","timestamp":"2026-11-23T13:33:29.000Z"},"error":false}"#,
    ])
    func `a reading recorded by an earlier version is read without the later members`(line: String)
        throws
    {
        let sut = try Reading(line: line.utf8)
        #expect(sut.text == line)
        #expect(!sut.isClosed && !sut.isStored && !sut.isMadeUp && !sut.isDisputed)
        #expect(sut.prices.isEmpty && sut.quote?.range == nil)
    }

    @Test func `a candle without the member closed may still change`() throws {
        let line = #"{"at":"2026-11-20T00:00:00.000Z","candle":"1d","source":"x","quote":\#(Self.quote)"#
        #expect(try !Reading(line: "\(line)}".utf8).isClosed)
        #expect(try !Reading(line: #"\#(line),"closed":false}"#.utf8).isClosed)
        #expect(try Reading(line: #"\#(line),"closed":true}"#.utf8).isClosed)
    }

    @Test(arguments: [
        (#"{"tick":"1"}"#, "tick is not an integer of 0 or more"),
        (#"{"tick":-1}"#, "tick is not an integer of 0 or more"),
        (#"{"tick":1.0}"#, "tick is not an integer of 0 or more"),
        (#"{"tick":1e3}"#, "tick is not an integer of 0 or more"),
        (#"{"tick":99999999999999999999}"#, "tick is not an integer of 0 or more"),
        (#"{"at":"now"}"#, "at is not a UTC time with 3 decimals"),
        (#"{"at":7}"#, "at is not a UTC time with 3 decimals"),
        (#"{"symbol":"../x"}"#, "symbol is not valid (example: BTC-USD)"),
        (#"{"symbol":""}"#, "symbol is not valid (example: BTC-USD)"),
        (#"{"candle":"1w"}"#, "candle is not a length of candle (1m, 5m, 15m, 1h or 1d)"),
        (#"{"timeout_ms":0}"#, "timeout_ms is not an integer of 1 or more"),
        ("[]", "not a JSON object"), ("7", "not a JSON object"), ("null", "not a JSON object"),
    ])
    func `a bad tick is rejected, and the message names the member`(line: String, reason: String) {
        #expect(throws: InvalidInput(reason)) { try Tick(line: line.utf8) }
    }

    @Test(arguments: [
        ("{}", "has neither a quote nor a failure"),
        (#"{"tick":1,"error":false}"#, "has neither a quote nor a failure"),
        (#"{"failures":[]}"#, "has neither a quote nor a failure"),
        (#"{"quote":\#(quote)}"#, "has a quote but no source"),
        (#"{"source":1,"quote":\#(quote)}"#, "source is not a string"),
        (#"{"source":"x","quote":"68901.23"}"#, "quote: not a JSON object"),
        (
            #"{"source":"x","quote":{"currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}"#,
            "quote: value is missing"
        ),
        (
            #"{"source":"x","quote":{"value":1.5,"currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}"#,
            "quote: value must be a string"
        ),
        (
            #"{"source":"x","quote":{"value":"1.5","currency":"usd","timestamp":"2026-11-21T14:03:07.412Z"}}"#,
            "quote: currency is not a currency code"
        ),
        (#"{"source":"x","quote":{"value":"1.5","currency":"USD"}}"#, "quote: timestamp is missing"),
        (
            #"{"source":"x","quote":{"value":"1.5","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z","market":"a b"}}"#,
            "quote: market is not a name of 1 to 32 characters"
        ),
        (#"{"failures":{}}"#, "failures is not an array"),
        (
            #"{"failures":[{"source":"x","kind":"odd","message":"m"}]}"#,
            "failures: kind is not a known kind of failure"
        ),
        (#"{"failures":[{"kind":"timeout","message":"m"}]}"#, "failures: source is missing"),
        (#"{"source":"x","quote":\#(quote),"error":"yes"}"#, "error is not true or false"),
        (#"{"source":"x","quote":\#(quote),"made_up":1}"#, "made_up is not true or false"),
        (
            #"{"source":"x","quote":{"value":"1.5","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z","high":"0"}}"#,
            "quote: high is not a price"
        ),
        (
            #"{"source":"x","quote":{"value":"1.5","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z","volume":"-1"}}"#,
            "quote: volume is not a volume"
        ),
        (#"{"source":"x","quote":\#(quote),"prices":[{"source":"a"}]}"#, "prices: value is missing"),
    ])
    func `a bad reading is rejected, and the message names the member`(line: String, reason: String) {
        #expect(throws: InvalidInput(reason)) { try Reading(line: line.utf8) }
    }

    @Test(arguments: [(32, true), (33, false), (256, false), (259, false)])
    func `a market is at most 32 characters long`(length: Int, isRead: Bool) {
        let market = String(repeating: "A", count: length)
        let quote = Self.quote.dropLast() + #","market":"\#(market)"}"#
        let reading = try? Reading(line: #"{"source":"x","quote":\#(quote)}"#.utf8)
        #expect(reading?.quote?.market.map { Array($0) } == (isRead ? Array(market.utf8) : nil))
    }

    @Test func `a line that is not JSON is rejected with the position, whatever else is wrong`() {
        #expect(throws: InvalidInput("not a JSON object (expected ':' at byte 9)")) {
            try Tick(line: #"{"tick" 1}"#.utf8)
        }
        #expect(throws: InvalidInput("not a JSON object (unexpected text after the value at byte 12)")) {
            try Tick(line: #"{"tick":-1}]"#.utf8)
        }
    }

    @Test(arguments: Failure.Kind.allCases) func `every kind of failure is written as it was read`(
        kind: Failure.Kind
    ) throws {
        let line = #"{"source":"x","kind":"\#(kind.rawValue)","message":"m"}"#
        #expect(try roundTrip(line, as: Failure.self) == line)
    }

    @Test func `the text of a failure is made printable and limited in length`() {
        let sut = Failure(
            source: "a\u{1B}[31m", kind: .network, message: String(repeating: "x\n", count: 200))
        #expect(sut.source == "a?[31m" && sut.message.count == 200 && !sut.message.contains("\n"))
    }
}
