import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// The names of pairs at each exchange, and the grammar of prices.
@Suite(.unit) struct ExchangeTests {
    private func price(_ source: PriceSource, _ body: String, _ symbol: Symbol = .bitcoin) throws -> String {
        try source.price(in: body.utf8, symbol).0.text
    }

    @Test func `a price from a custom address does not name a market`() throws {
        let source = PriceSource.custom(name: "x", url: "http://x/", price: "")
        #expect(
            source.quote(anyQuote("1").price, of: try source.market(of: .bitcoin), at: anyTime()).market
                == nil)
    }

    @Test func `another symbol is requested, and its answer is accepted`() throws {
        let ether = Symbol("ETH-USD")!
        #expect(try PriceSource.binance.request(ether).url.text.contains("?symbol=ETHUSDT&"))
        #expect(try price(.binance, #"{"symbol":"ETHUSDT","price":"3012.55"}"#, ether) == "3012.55")
        #expect(
            try price(.kraken, #"{"error":[],"result":{"XETHZUSD":{"c":["3012.55"]}}}"#, ether) == "3012.55")
        #expect(
            try price(.kraken, #"{"error":[],"result":{"ETHUSD":{"c":["3012.55"]}}}"#, ether) == "3012.55")
    }

    @Test(arguments: [
        ("BTC-USD", "BTCUSDT"), ("BTC-EUR", "BTCEUR"), ("BTC-USDT", "BTCUSDT"), ("ETH-USDC", "ETHUSDC"),
        ("ETH-BTC", "ETHBTC"),
    ])
    func `Binance prices US dollars in USDT, and any other currency in itself`(
        symbol: String, market: String
    ) throws {
        let symbol = Symbol(symbol)!
        #expect(
            try PriceSource.binance.request(symbol).url.text.contains(
                "/api/v3/ticker/price?symbol=\(market)&"))
        #expect(try price(.binance, #"{"symbol":"\#(market)","price":"1.5"}"#, symbol) == "1.5")
    }

    @Test(arguments: [
        ("BTC-USD", "XBTUSD", ["XXBTZUSD", "XBTUSD"]), ("EUR-USD", "EURUSD", ["ZEURZUSD", "EURUSD"]),
        ("GBP-USD", "GBPUSD", ["ZGBPZUSD"]), ("USDT-USD", "USDTUSD", ["USDTZUSD"]),
        ("ETH-BTC", "ETHXBT", ["XETHXXBT"]), ("DOGE-USD", "XDGUSD", ["XDGUSD", "XXDGZUSD"]),
        ("SOL-BTC", "SOLXBT", ["SOLXBT"]), ("BTC-USDT", "XBTUSDT", ["XBTUSDT"]),
        ("BTC-USDC", "XBTUSDC", ["XBTUSDC"]),
    ])
    func `Kraken calls bitcoin XBT and dogecoin XDG and may answer with longer names`(
        symbol: String, market: String, names: [String]
    ) throws {
        let symbol = Symbol(symbol)!
        #expect(try PriceSource.kraken.request(symbol).url.text.hasSuffix("/Ticker?pair=\(market)"))
        for name in names {
            #expect(
                try price(.kraken, #"{"error":[],"result":{"\#(name)":{"c":["1.5","1"]}}}"#, symbol) == "1.5")
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

    @Test(
        .fault(11),
        arguments: [
            "-1", "0", "-0", "NaN", "Infinity", "1e400", "1,234.5", "1abc", "0x1F", " 1", "１２", "true", "",
        ])
    func `malformed prices are rejected`(text: String) {
        #expect(throws: InvalidInput.self) { try price(.bitstamp, #"{"last":"\#(text)"}"#) }
    }
}

extension PriceSource: CustomTestStringConvertible {
    public var testDescription: String { name }
}
