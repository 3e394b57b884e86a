import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// The names of pairs at each exchange, and the grammar of prices.
@Suite(.unit) struct ExchangeTests {
    @Test func `a price from a custom address does not name a market`() throws {
        let source = PriceSource.custom(name: "x", url: "http://x/", price: "")
        let quote = source.quote(anyQuote().price, of: try source.market(of: .bitcoin), at: anyTime())
        #expect(quote.market == nil)
    }

    @Test(arguments: [
        ("BTC-USD", "BTCUSDT"), ("BTC-EUR", "BTCEUR"), ("BTC-USDT", "BTCUSDT"), ("ETH-USDC", "ETHUSDC"),
        ("ETH-BTC", "ETHBTC"),
    ])
    func `Binance prices only US dollars in USDT`(symbol: String, market: String) throws {
        let (source, symbol) = (PriceSource.binance, Symbol(symbol)!)
        #expect(try source.request(symbol).url.text.contains("/api/v3/ticker/price?symbol=\(market)&"))
        #expect(try source.price(in: #"{"symbol":"\#(market)","price":"1.5"}"#, symbol).text == "1.5")
    }

    @Test(arguments: [
        ("BTC-USD", "XBTUSD", ["XXBTZUSD", "XBTUSD"]), ("EUR-USD", "EURUSD", ["ZEURZUSD", "EURUSD"]),
        ("GBP-USD", "GBPUSD", ["ZGBPZUSD"]), ("USDT-USD", "USDTUSD", ["USDTZUSD"]),
        ("ETH-BTC", "ETHXBT", ["XETHXXBT"]), ("DOGE-USD", "XDGUSD", ["XDGUSD", "XXDGZUSD"]),
        ("SOL-BTC", "SOLXBT", ["SOLXBT"]), ("BTC-USDT", "XBTUSDT", ["XBTUSDT"]),
        ("BTC-USDC", "XBTUSDC", ["XBTUSDC"]), ("ZEC-USD", "ZECUSD", ["XZECZUSD"]),
    ])
    func `Kraken calls bitcoin XBT and dogecoin XDG and may answer with longer names`(
        symbol: String, market: String, names: [String]
    ) throws {
        let (source, symbol) = (PriceSource.kraken, Symbol(symbol)!)
        #expect(try source.request(symbol).url.text.hasSuffix("/Ticker?pair=\(market)"))
        for name in names {
            let body = #"{"error":[],"result":{"\#(name)":{"c":["1.5","1"]}}}"#
            #expect(try source.price(in: body, symbol).text == "1.5")
        }
    }

    /// Recorded in the list of all markets, whose tickers name their pairs.
    @Test(.fault(10)) func `Bitstamp's answer may leave out its pair but must not name another`() throws {
        let body = { (pair: String) in #"{"timestamp":"1788058797","last":"77265"\#(pair)}"# }
        for pair in ["", #","pair":"PAX/USD","market_type":"SPOT""#] {
            #expect(try PriceSource.bitstamp.price(in: body(pair), Symbol("PAX-USD")!).text == "77265")
        }
        #expect(throws: InvalidInput("/pair is PAXG/USD, not PAX/USD")) {
            try PriceSource.bitstamp.price(in: body(#","pair":"PAXG/USD""#), Symbol("PAX-USD")!)
        }
    }

    @Test(arguments: [
        ("BTC-USDT", "USDT"), ("ETH-BTC", "BTC"), ("btc-EUR", "EUR"), ("NVDA", "USD"), ("BTC-usd", "USD"),
    ])
    func `the currency of a symbol follows its only hyphen; without one, it is the US dollar`(
        symbol: String, code: String
    ) {
        #expect(Symbol(symbol)!.currency.code == code)
    }

    @Test(
        arguments: ["BITCOIN", "BTC-USD-X", "BTC-dollar", "a.b-USD", "btc-usd", "btc-USD", "A_B-USD"]
            .map { Symbol($0)! })
    func `a symbol that is not a pair is rejected without a request`(symbol: Symbol) {
        for source in PriceSource.all {
            #expect(throws: InvalidInput.self) { try source.request(symbol) }
        }
    }
}

extension PriceSource: CustomTestStringConvertible {
    public var testDescription: String { name }
}
