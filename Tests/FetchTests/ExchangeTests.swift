import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// How each exchange names pairs, and how its answers are read.
@Suite(.unit) struct ExchangeTests {
    @Test func `a quote from a custom source does not name a market`() throws {
        let source = PriceSource.custom(name: "x", url: "http://x/", price: "")
        let quote = source.quote(anyQuote().price, of: try source.market(of: .bitcoin), at: anyTime())
        #expect(quote.market == nil)
    }

    @Test(arguments: [
        ("BTC-USD", "BTCUSDT"), ("BTC-EUR", "BTCEUR"), ("BTC-USDT", "BTCUSDT"), ("ETH-USDC", "ETHUSDC"),
        ("ETH-BTC", "ETHBTC"),
    ])
    func `in the names of Binance's markets, USDT replaces the US dollar but no other currency`(
        symbol: String, market: String
    ) throws {
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
    func `Kraken calls bitcoin XBT and dogecoin XDG, and its answers may contain longer names`(
        symbol: String, market: String, names: [String]
    ) throws {
        let (source, symbol) = (PriceSource.kraken, Symbol(symbol)!)
        #expect(try source.request(symbol).url.text.hasSuffix("/Ticker?pair=\(market)"))
        for name in names {
            let body = #"{"error":[],"result":{"\#(name)":{"c":["1.5","1"]}}}"#
            #expect(try source.price(in: body, symbol).text == "1.5")
        }
    }

    @Test(.fault(10), arguments: Sample.lines("answers", columns: 3))
    func `reading an exchange's sample answer yields the expected price or failure`(sample: Sample) throws {
        let market = try sample.source.market(of: Symbol(sample.columns[0])!)
        let response = HTTPResponse(status: 200, body: Array(sample.text.utf8))
        do throws(FetchError) {
            let time = Timestamp(sample.columns[1])!
            let prices = try sample.source.prices(of: [market], in: response, at: time)
            #expect(prices[market]?.text == sample.columns[2])
        } catch {
            #expect("\(error.kind)" == sample.columns[2])
        }
    }

    @Test(arguments: [
        ("BTC-USDT", "USDT"), ("ETH-BTC", "BTC"), ("btc-EUR", "EUR"), ("NVDA", "USD"), ("BTC-usd", "USD"),
    ])
    func `a symbol's currency is the code after its only hyphen, or else the US dollar`(
        symbol: String, code: String
    ) {
        #expect(Symbol(symbol)!.currency.code == code)
    }

    @Test(
        arguments: ["BITCOIN", "BTC-USD-X", "BTC-dollar", "a.b-USD", "btc-usd", "btc-USD", "A_B-USD"]
            .map { Symbol($0)! })
    func `no built-in source builds a request for a symbol that is not a pair`(symbol: Symbol) {
        for source in PriceSource.all { #expect(throws: InvalidInput.self) { try source.request(symbol) } }
    }
}

extension PriceSource: CustomTestStringConvertible {
    public var testDescription: String { name }
}
