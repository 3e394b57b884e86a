import PipeCommon
import TestSupport
import TestTraits
import Testing

/// How ticks, readings and failures are read and written, and how bad records are rejected.
@Suite(.unit) struct RecordTests {
    private func roundTrip<Value: Record>(_ line: String, as type: Value.Type) throws -> String {
        try Value(line: line.utf8).text
    }

    @Test(arguments: [
        "{}",
        #"{"tick":0}"#, #"{"symbol":"ETH-USD"}"#, #"{"tick":12,"at":"2026-11-21T14:03:07.000Z"}"#,
        #"{"tick":12,"at":"2026-11-21T14:03:07.000Z","symbol":"ETH-USD","timeout_ms":200}"#,
        #"{"tick":12,"at":"2026-11-20T00:00:00.000Z","symbol":"ETH-USD","candle":"1d","timeout_ms":200}"#,
    ])
    func `a tick is written exactly as it was read`(line: String) throws {
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
    func `a reading is written as it was read, and a missing member counts as false or empty`(line: String)
        throws
    {
        let sut = try Reading(line: line.utf8)
        #expect(sut.text == line)
        #expect(sut.isClosed == line.contains(#""closed":true"#))
        #expect(sut.isStored == line.contains(#""stored":true"#))
        #expect(sut.isMadeUp == line.contains(#""made_up":true"#))
        #expect(sut.isDisputed == line.contains(#""disputed":true"#))
        #expect(sut.prices.isEmpty == !line.contains("prices"))
        #expect((sut.quote?.range == nil) == !line.contains("open"))
    }

    @Test func `white space, nulls, unknown members and the order of the members do not matter`() throws {
        let line = """
             { "error" : null, "unknown" : {"a":[1,2]}, "quote":{"timestamp":"2026-11-21T14:03:07.412Z",\
            "currency":"USD" , "value":"68901.23","x":0},"source":"binance" ,"tick": 12, "closed":false }\u{20}
            """
        #expect(
            try roundTrip(line, as: Reading.self) == #"{"tick":12,"source":"binance","quote":\#(Self.quote)}"#
        )
    }

    @Test(arguments: [
        // Two sources may have the same name, so the failure's source is ignored if `disputed` is present.
        ("binance", #","disputed":false"#, false),
        ("coinbase", #","disputed":true"#, true),
        ("binance", #","disputed":true,"error":true"#, false),
        // Recordings from earlier versions lack the member `disputed`, so the failure's source decides.
        ("binance", "", true),
        ("coinbase", "", false),
    ])
    func `without the member "disputed", the failure's source decides whether a new quote is disputed`(
        source: String, members: String, isDisputed: Bool
    ) throws {
        let failure = #"{"source":"\#(source)","kind":"disputed","message":"binance 1.5, coinbase 2.5"}"#
        let line = #"{"source":"binance","quote":\#(Self.quote),"failures":[\#(failure)]\#(members)}"#
        #expect(try Reading(line: line.utf8).isDisputed == isDisputed)
    }

    @Test(arguments: [
        (#"{"tick":"1"}"#, "tick is not an integer of 0 or more"),
        (#"{"tick":-1}"#, "tick is not an integer of 0 or more"),
        (#"{"tick":1.0}"#, "tick is not an integer of 0 or more"),
        (#"{"tick":1e3}"#, "tick is not an integer of 0 or more"),
        (#"{"tick":99999999999999999999}"#, "tick is not an integer of 0 or more"),
        (#"{"at":"now"}"#, "at is not a UTC time such as 2026-11-21T14:03:07.000Z"),
        (#"{"at":7}"#, "at is not a UTC time such as 2026-11-21T14:03:07.000Z"),
        (#"{"symbol":"../x"}"#, "symbol is not valid (example: BTC-USD)"),
        (#"{"symbol":""}"#, "symbol is not valid (example: BTC-USD)"),
        (#"{"candle":"1w"}"#, "candle is not a candle length (1m, 5m, 15m, 1h or 1d)"),
        (#"{"timeout_ms":0}"#, "timeout_ms is not an integer of 1 or more"),
        ("[]", "not a JSON object"), ("7", "not a JSON object"), ("null", "not a JSON object"),
    ])
    func `a bad tick is rejected, and the message says why`(line: String, reason: String) {
        #expect(throws: InvalidInput(reason)) { try Tick(line: line.utf8) }
    }

    @Test(arguments: [
        ("{}", "contains neither a quote nor a failure"),
        (#"{"tick":1,"error":false}"#, "contains neither a quote nor a failure"),
        (#"{"failures":[]}"#, "contains neither a quote nor a failure"),
        (#"{"quote":\#(quote)}"#, "contains a quote but no source"),
        (#"{"source":1,"quote":\#(quote)}"#, "source is not a string"),
        (#"{"source":"x","quote":"68901.23"}"#, "quote: not a JSON object"),
        (#"{"failures":{}}"#, "failures is not an array"),
        (#"{"failures":[{"kind":"timeout","message":"m"}]}"#, "failures: source is missing"),
        (#"{"source":"x","quote":\#(quote),"error":"yes"}"#, "error is not true or false"),
        (#"{"source":"x","quote":\#(quote),"made_up":1}"#, "made_up is not true or false"),
        (#"{"source":"x","quote":\#(quote),"prices":[{"source":"a"}]}"#, "prices: value is missing"),
    ])
    func `a bad reading is rejected, and the message says why`(line: String, reason: String) {
        #expect(throws: InvalidInput(reason)) { try Reading(line: line.utf8) }
    }

    private static let time = #""timestamp":"2026-11-21T14:03:07.412Z""#
    private static let price = #""value":"1.5","currency":"USD""#

    @Test(arguments: [
        (#""currency":"USD",\#(time)"#, "value is missing"),
        (#""value":1.5,"currency":"USD",\#(time)"#, "value must be a string"),
        (#""value":"1.5","currency":"usd",\#(time)"#, "currency is not a currency code"),
        (price, "timestamp is missing"),
        (#"\#(price),\#(time),"market":"a b""#, "market is not a name of 1 to 32 characters"),
        (#"\#(price),\#(time),"high":"0""#, "high is not a price"),
        (#"\#(price),\#(time),"volume":"-1""#, "volume is not a volume"),
    ])
    func `a bad quote is rejected, and the message names the member`(members: String, reason: String) {
        #expect(throws: InvalidInput("quote: \(reason)")) {
            try Reading(line: #"{"source":"x","quote":{\#(members)}}"#.utf8)
        }
    }

    @Test func `a line that is not JSON is rejected with the position of the error, whatever else is wrong`()
    {
        #expect(throws: InvalidInput("not a JSON object (expected ':' at byte 9)")) {
            try Tick(line: #"{"tick" 1}"#.utf8)
        }
        #expect(throws: InvalidInput("not a JSON object (unexpected text after the value at byte 12)")) {
            try Tick(line: #"{"tick":-1}]"#.utf8)
        }
    }

    @Test(arguments: Failure.Kind.allCases) func `a failure of any kind is written as it was read`(
        kind: Failure.Kind
    ) throws {
        let line = #"{"source":"x","kind":"\#(kind.rawValue)","message":"m"}"#
        #expect(try roundTrip(line, as: Failure.self) == line)
    }

    @Test func `a failure's text is printable and limited in length, and its retry time is at least 1 ms`() {
        let long = String(repeating: "x\n", count: 200)
        let sut = Failure(source: "a\u{1B}[31m\(long)", kind: .network, message: long, retry: .nanoseconds(1))
        #expect(sut.source.hasPrefix("a?[31mx") && sut.source.count == 64)
        #expect(sut.message.count == 200 && !sut.message.contains("\n") && sut.text.hasSuffix(#":1}"#))
    }
}
