import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Requests for several pairs: their addresses, and the matching of prices to pairs.
@Suite(.unit) struct SharedTickerTests {
    private let binance = "https://api.binance.com/api/v3/ticker/price?symbols="
    private let kraken = "https://api.kraken.com/0/public/Ticker?pair="

    private func url(_ source: PriceSource, _ symbols: String...) throws -> String {
        try source.plan(for: symbols.map { try source.market(of: Symbol($0)!) }).request.get().url.text
    }

    /// The prices of BTC-USD and ETH-USD, in this order.
    private func prices(
        _ source: PriceSource, _ body: String, _ symbols: [String] = ["BTC-USD", "ETH-USD"]
    ) throws -> [String?] {
        let markets = try symbols.map { try source.market(of: Symbol($0)!) }
        let prices = try #require(source.shared).prices(
            of: markets, in: JSON(parsing: body.utf8), at: anyTime())
        return markets.map { prices[$0]?.text }
    }

    @Test func `several pairs share an address, and a single pair uses its own`() throws {
        let list = "%5B%22BTCUSDT%22,%22ETHEUR%22%5D"
        #expect(try url(.binance, "BTC-USD", "ETH-EUR") == "\(binance)\(list)&symbolStatus=TRADING")
        #expect(try url(.kraken, "BTC-USD", "ETH-EUR") == kraken + "XBTUSD,ETHEUR")
        #expect(try url(.kraken, "ETH-EUR") == kraken + "ETHEUR")
    }

    @Test(
        .fault(66),
        arguments: [
            // docs.gemini.com, Price Feed
            (
                .gemini, "https://api.gemini.com/v1/pricefeed",
                #"[{"pair":"BTCUSD","price":"1.5","percentChange24h":"5.23"},{"pair":"ETHUSD","price":"2.5"}]"#
            ),
            (
                .okx, "https://www.okx.com/api/v5/market/tickers?instType=SPOT",
                #"{"code":"0","data":[{"instId":"BTC-USD","last":"1.5","ts":"NOW"},{"instId":"ETH-USD","last":"2.5","ts":"NOW"},{"instId":"OLD-USD","last":"3.5","ts":"1597026383085"}]}"#
            ),
            (
                .bybit, "https://api.bybit.com/v5/market/tickers?category=spot",
                #"{"retCode":0,"result":{"list":[{"symbol":"BTCUSDT","lastPrice":"1.5"},{"symbol":"ETHUSDT","lastPrice":"2.5"}]},"time":NOW}"#
            ),
            (
                .bitstamp, "https://www.bitstamp.net/api/v2/ticker/",
                #"[{"pair":"BTC/USD","last":"1.5","timestamp":"SECONDS"},{"pair":"ETH/USD","last":"2.5","timestamp":"SECONDS"},{"pair":"OLD/USD","last":"3.5","timestamp":"1597026383"}]"#
            ),
        ] as [(PriceSource, String, String)])
    func `an exchange's list of all markets gives the prices of many pairs, none of them old`(
        source: PriceSource, address: String, body: String
    ) throws {
        let now = anyTime().milliseconds
        let body = body.replacing("NOW", with: "\(now)").replacing("SECONDS", with: "\(now / 1000)")
        #expect(try url(source, "BTC-USD", "ETH-USD") == address)
        let symbols = ["BTC-USD", "ETH-USD", "OLD-USD", "NOPE-USD"]
        #expect(try prices(source, body, symbols) == ["1.5", "2.5", nil, nil])
        #expect(throws: InvalidInput.self) { try prices(source, "{}") }
        if source.name == "gemini" { return }
        let late = body.replacing("\(now)", with: "\(now - 61_000)")
            .replacing("\(now / 1000)", with: "\(now / 1000 - 61)")
        #expect((try? prices(source, late)) ?? [nil, nil] == [nil, nil])
    }

    @Test func `two symbols with the same market request it once, and both get its price`() throws {
        let url = try url(.binance, "BTC-USD", "BTC-USDT", "ETH-USD")
        #expect(url == "\(binance)%5B%22BTCUSDT%22,%22ETHUSDT%22%5D&symbolStatus=TRADING")
        let body = #"[{"symbol":"BTCUSDT","price":"1.5"}]"#
        #expect(try prices(.binance, body, ["BTC-USD", "BTC-USDT"]) == ["1.5", "1.5"])
    }

    @Test func `another host prices several pairs per request, a fixed address only one`() throws {
        let mirror = try url(.kraken.asked(below: "http://localhost:8080/x"), "BTC-USD", "ETH-USD")
        #expect(mirror == "http://localhost:8080/x/0/public/Ticker?pair=XBTUSD,ETHUSD")
        #expect(PriceSource.kraken.asked(at: "http://localhost/price.json").shared == nil)
    }

    @Test(
        .fault(10),
        arguments: [
            // In any order
            (#"[{"symbol":"ETHUSDT","price":"2.5"},{"symbol":"BTCUSDT","price":"1.5"}]"#, ["1.5", "2.5"]),
            // Missing, or of another pair
            (#"[{"symbol":"BTCUSDT","price":"1.5"}]"#, ["1.5", nil]), ("[]", [nil, nil]),
            (#"[{"symbol":"BTCUSDT","price":"1.5"},{"symbol":"ETHEUR","price":"2.5"}]"#, ["1.5", nil]),
            (#"[{"symbol":"BTCUSDT","price":"1.5"},{"price":"2.5"},7]"#, ["1.5", nil]),
            // Duplicates, even with the same price
            (#"[{"symbol":"BTCUSDT","price":"1.5"},{"symbol":"BTCUSDT","price":"3.5"}]"#, [nil, nil]),
            (#"[{"symbol":"BTCUSDT","price":"1.5"},{"symbol":"BTCUSDT","price":"1.5"}]"#, [nil, nil]),
            // Malformed
            (#"[{"symbol":"BTCUSDT","price":1.5},{"symbol":"ETHUSDT","price":"2e5"}]"#, [nil, nil]),
        ] as [(String, [String?])])
    func `Binance's prices are matched by their own symbols`(body: String, expected: [String?]) throws {
        #expect(try prices(.binance, body) == expected)
    }

    @Test(
        .fault(10),
        arguments: [
            (#""XETHZUSD":{"c":["2.5","1"]},"XXBTZUSD":{"c":["1.5","1"]}"#, ["1.5", "2.5"]),
            (#""XBTUSD":{"c":["1.5"]},"ETHUSD":{"c":["2.5"]}"#, ["1.5", "2.5"]),
            (#""XXBTZUSD":{"c":["1.5"]},"XETHZEUR":{"c":["2.5"]}"#, ["1.5", nil]),
            (#""XXBTZUSD":{"c":["1.5"]},"ETHXUSD":{"c":["2.5"]}"#, ["1.5", nil]),
            (#""XXBTZUSD":{"c":["1.5"]},"XBTUSD":{"c":["3.5"]},"ETHUSD":{"c":["2.5"]}"#, [nil, "2.5"]),
            (#""XXBTZUSD":{"c":[1.5]},"XETHZUSD":7"#, [nil, nil]), ("", [nil, nil]),
        ] as [(String, [String?])])
    func `Kraken's prices are matched by any of its names`(result: String, expected: [String?]) throws {
        #expect(try prices(.kraken, #"{"error":[],"result":{\#(result)}}"#) == expected)
    }

    @Test(.fault(10)) func `a name that fits two of the pairs counts for neither`() throws {
        let body = #"{"error":[],"result":{"XCNUSD":{"c":["1.5"]},"CNUSD":{"c":["2.5"]}}}"#
        #expect(try prices(.kraken, body, ["XCN-USD", "CN-USD"]) == [nil, "2.5"])
    }

    @Test(
        .fault(9),
        arguments: [
            (PriceSource.binance, #"{"symbol":"BTCUSDT","price":"1.5"}"#), (.binance, "null"),
            (.kraken, "[]"), (.kraken, #"{"error":[]}"#), (.kraken, #"{"result":[]}"#),
        ])
    func `an answer with a different structure is rejected`(source: PriceSource, body: String) {
        #expect(throws: InvalidInput.self) { try prices(source, body) }
    }

    @Test(.fault(45)) func `each quote names its market and currency; an old answer has none`() throws {
        let source = PriceSource.binance
        let markets = try ["BTC-USD", "ETH-EUR", "SOL-USD"].map { try source.market(of: Symbol($0)!) }
        let body = Array(#"[{"symbol":"BTCUSDT","price":"1.5"},{"symbol":"ETHEUR","price":"2.5"}]"#.utf8)
        let answer = try source.plan(for: markets).read(HTTPResponse(status: 200, body: body), anyTime())
        let texts = try markets.map { market in
            try answer(market, anyTime()).map { (quote, _) in
                "\(quote.price.text) \(quote.currency.code) \(quote.market?.text ?? "")"
            }
        }
        #expect(texts == ["1.5 USD BTCUSDT", "2.5 EUR ETHEUR", nil])
        let old = HTTPResponse(status: 200, age: .seconds(61), body: body)
        #expect(throws: FetchError.self) { try source.plan(for: markets).read(old, anyTime()) }
    }
}
