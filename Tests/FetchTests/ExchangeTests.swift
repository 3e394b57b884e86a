import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Each source against its documented payloads: good, error with status 200, wrong pair, wrong type.
@Suite(.unit) struct ExchangeTests {
    private func price(_ source: PriceSource, _ body: String, _ symbol: Symbol = .bitcoin) throws -> String {
        try source.price(in: body.utf8, symbol).0.text
    }

    @Test(arguments: [
        (PriceSource.binance, Payload.binance, "114721.34000000"),
        (.cryptoCompare, Payload.cryptoCompare, "103457.51"),
        (.coinbase, Payload.coinbase, "63212.97"),
        (.kraken, Payload.kraken, "92066.90000"),
        (.bitstamp, Payload.bitstamp, "92066"),
    ])
    func `a good answer gives the price digit by digit`(source: PriceSource, body: String, expected: String)
        throws
    {
        #expect(try price(source, body) == expected)
    }

    @Test(arguments: [
        (
            PriceSource.binance,
            "https://api.binance.com/api/v3/ticker/price?symbol=BTCUSDT&symbolStatus=TRADING"
        ),
        (.cryptoCompare, "https://min-api.cryptocompare.com/data/generateAvg?fsym=BTC&tsym=USD&e=coinbase"),
        (.coinbase, "https://api.exchange.coinbase.com/products/BTC-USD/ticker"),
        (.kraken, "https://api.kraken.com/0/public/Ticker?pair=XBTUSD"),
        (.bitstamp, "https://www.bitstamp.net/api/v2/ticker/btcusd/"),
    ])
    func `each source has its own address`(source: PriceSource, address: String) throws {
        #expect(try source.request(.bitcoin).url.text == address)
    }

    @Test(arguments: [
        (PriceSource.binance, "BTCUSDT" as String?, "ETHEUR" as String?), (.cryptoCompare, nil, nil),
        (.coinbase, "BTC-USD", "ETH-EUR"), (.kraken, "XBTUSD", "ETHEUR"), (.bitstamp, "btcusd", "etheur"),
        (.custom(name: "x", url: "http://x/", price: ""), nil, nil),
    ])
    func `a source names the market that it prices, if it has a name for it`(
        source: PriceSource, bitcoin: String?, ether: String?
    ) throws {
        for (symbol, market) in [("BTC-USD", bitcoin), ("ETH-EUR", ether)] {
            let quote = source.quote(anyQuote("1").price, of: try TradingPair(Symbol(symbol)!), at: anyTime())
            #expect(quote.market?.text == market)
        }
    }

    @Test func `another symbol is asked for, and its answer accepted`() throws {
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
    func `Binance is asked for dollars in USDT, and for any other currency in that one`(
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
    func `Kraken calls bitcoin XBT and dogecoin XDG, and answers under its longer names too`(
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
    func `the currency of a symbol stands after its only hyphen, and is otherwise US dollars`(
        symbol: String, code: String
    ) {
        #expect(Symbol(symbol)!.currency.code == code)
    }

    @Test(
        arguments: ["BITCOIN", "BTC-USD-X", "BTC-dollar", "a.b-USD", "btc-usd", "btc-USD", "A_B-USD"]
            .map { Symbol($0)! })
    func `a symbol that is not a pair is refused without a request`(symbol: Symbol) {
        for source in PriceSource.all {
            #expect(throws: InvalidInput.self) { try source.request(symbol) }
        }
    }

    @Test(
        .fault(10),
        arguments: [
            (PriceSource.binance, #"{"symbol":"ETHUSDT","price":"3012.55"}"#),
            (.binance, #"{"symbol":"BTCEUR","price":"90123.1"}"#),
            (.binance, #"{"price":"3012.55"}"#),
            (.cryptoCompare, #"{"RAW":{"FROMSYMBOL":"ETH","TOSYMBOL":"USD","PRICE":3012.55}}"#),
            (.cryptoCompare, #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"EUR","PRICE":90123.1}}"#),
            (.kraken, #"{"error":[],"result":{"XETHZUSD":{"c":["3012.55","1"]}}}"#),
            (.kraken, #"{"error":[],"result":{"XXBTZEUR":{"c":["90123.1","1"]}}}"#),
            (.kraken, #"{"error":[],"result":{"USDTZUSD":{"c":["1.0","1"]}}}"#),
            (.kraken, #"{"error":[],"result":{"XXBTZUSD":{"c":["1.1","1"]},"XETHZUSD":{"c":["2.2","1"]}}}"#),
            (.kraken, #"{"error":[],"result":{}}"#),
        ])
    func `an answer for another pair, or for none, is refused`(source: PriceSource, body: String) {
        #expect(throws: InvalidInput.self) { try price(source, body) }
    }

    @Test(
        .fault(11),
        arguments: [
            (PriceSource.binance, #"{"symbol":"BTCUSDT","price":114721.34}"#),
            (.binance, #"{"symbol":"BTCUSDT","price":null}"#),
            (.binance, #"[{"symbol":"BTCUSDT","price":"1.0"}]"#),
            (.cryptoCompare, #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"USD","PRICE":"103457.51"}}"#),
            (.cryptoCompare, #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"USD","PRICE":1.0345751e400}}"#),
            (.coinbase, #"{"price":92066.955,"time":"2026-06-19T16:43:33.016274911Z"}"#),
            (.kraken, #"{"error":[],"result":{"XXBTZUSD":{"c":[92066.9,"0.001"]}}}"#),
            (.kraken, #"{"error":[],"result":{"XXBTZUSD":{"c":"92066.9"}}}"#),
            (.bitstamp, #"{"last":92066}"#),
            (.bitstamp, #"{}"#),
        ])
    func `a price of another type is refused`(source: PriceSource, body: String) {
        #expect(throws: InvalidInput.self) { try price(source, body) }
    }

    @Test(
        .fault(11),
        arguments: [
            "-1", "0", "-0", "NaN", "Infinity", "1e400", "1,234.5", "1abc", "0x1F", " 1", "１２", "true", "",
        ])
    func `a price of another grammar is refused`(text: String) {
        #expect(throws: InvalidInput.self) { try price(.bitstamp, #"{"last":"\#(text)"}"#) }
    }
}

extension PriceSource: CustomTestStringConvertible {
    public var testDescription: String { name }
}
