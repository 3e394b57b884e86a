import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_cache

@Suite(.unit) struct StoredQuoteTests {
    @Test(arguments: [
        """
        {"symbol":"BTC-USD","source":"binance","quote":{"value":"68901.23","currency":"USD",\
        "timestamp":"2026-11-21T14:03:07.412Z"}}
        """,
        """
        {"at":"2026-11-20T00:00:00.000Z","symbol":"BTC-EUR","candle":"1d","source":"kraken","quote":\
        {"value":"59010.1","currency":"EUR","timestamp":"2026-11-21T00:00:00.000Z","open":"1","high":"3","low":"0.5","volume":"0"},\
        "closed":true,"made_up":true}
        """,
    ])
    func `a stored quote or candle is written exactly as it was read`(line: String) throws {
        let stored = try StoredQuote(line: line.utf8)
        let isCandle = line.contains("candle")
        #expect(stored.text == line && stored.isClosed == isCandle && stored.isMadeUp == isCandle)
    }

    /// Lines written by an earlier version of price-cache, which did not store whether a candle was closed: a
    /// candle that had ended, a candle that was still open, and the last quote of a symbol.
    private static let former = (
        candles: """
        {"at":"2026-11-22T00:00:00.000Z","symbol":"BTC-USD","candle":"1d","source":"demo","quote":{"value":"62432.00",\
        "currency":"USD","timestamp":"2026-11-23T00:00:00.000Z"},"check":"1e92b5cd"}
        {"at":"2026-11-23T00:00:00.000Z","symbol":"BTC-USD","candle":"1d","source":"demo","quote":{"value":"61175.98",\
        "currency":"USD","timestamp":"2026-11-23T13:33:29.000Z"},"check":"92e5bf54"}

        """,
        quote: """
        {"symbol":"BTC-USD","source":"primary","quote":{"value":"61189.97","currency":"USD",\
        "timestamp":"2026-11-23T13:33:29.469Z"},"check":"1a9dca75"}

        """
    )

    @Test func `quotes and candles that an earlier version saved are used, and the candles count as open`()
        throws
    {
        // Given files that an earlier version wrote
        let folder = TemporaryFolder(inMemory: true)
        folder.write("BTC-USD.json", Self.former.quote)
        folder.write("BTC-USD~1d.json", Self.former.candles)
        let sut = FileQuoteStore(location: .directory(folder.path))
        // When both files are loaded
        let (quote, candles) = try (sut.load(.bitcoin), sut.load(Subject(.bitcoin, .day)))
        // Then the quote and both candles are used, and neither candle counts as closed
        #expect(quote?.quote.price == Price("61189.97") && quote?.source == "primary")
        #expect(candles?.problem == nil)
        #expect(candles?.series.quotes.map(\.quote.price.text) == ["62432.00", "61175.98"])
        #expect(candles?.series.quotes.allSatisfy { !$0.isClosed && !$0.isMadeUp } == true)
        #expect(candles?.series.quotes.allSatisfy { $0.quote.range == nil } == true)
    }

    @Test(
        arguments: [
            ("BTC-USD.json", "BTC-USD", nil), ("BTC-USD~1d.json", "BTC-USD", .day),
            ("X.5~15m.json", "X.5", .quarterHour), ("BTC-USD.1d.json", "BTC-USD.1d", nil),
        ] as [(String, String, Candle?)])
    func `a file is named after its symbol and candle length`(file: String, symbol: String, candle: Candle?) {
        #expect(Subject(file: file) == Subject(Symbol(symbol)!, candle))
        #expect(Subject(Symbol(symbol)!, candle).file == file)
        for other in [
            "BTC-USD", ".json", "~1d.json", "BTC-USD~.json", "BTC-USD~2d.json", "BTC-USD~1d~1d.json",
            "BTC USD.json", ".BTC-USD.json.btc-price.tmp", "a.json.bak",
        ] { #expect(Subject(file: other) == nil) }
    }

    @Test(arguments: [("quote.json", "quote~1d.json"), ("quote", "quote~1d"), ("a.b/quote", "a.b/quote~1d")])
    func `candles are stored beside the quote file that the user chose`(file: String, candles: String) {
        #expect(Subject.path(file, .day) == candles && Subject.path(file, nil) == file)
    }

    @Test(arguments: [
        (
            #"{"source":"x","quote":{"value":"1","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}"#,
            "symbol is missing"
        ),
        (
            #"{"symbol":"BTC-USD","failures":[{"source":"x","kind":"timeout","message":"m"}]}"#,
            "quote is missing"
        ),
        (
            #"{"symbol":"BTC-USD","candle":"1d","source":"x","quote":{"value":"1","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}"#,
            "the member at is not the beginning of a candle"
        ),
    ])
    func `a line that lacks its symbol, quote or candle time is rejected`(line: String, reason: String) {
        #expect(throws: InvalidInput(reason)) { try StoredQuote(line: line.utf8) }
    }
}
