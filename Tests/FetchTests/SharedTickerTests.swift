import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// How several pairs are requested with one URL, and how the prices in the answer are matched to the pairs.
@Suite(.unit) struct SharedTickerTests {
    private let binance = "https://api.binance.com/api/v3/ticker/price?symbols="
    private let kraken = "https://api.kraken.com/0/public/Ticker?pair="

    private func url(_ source: PriceSource, _ symbols: String...) throws -> String {
        try source.plan(for: symbols.map { try source.market(of: Symbol($0)!) }).request.get().url.text
    }

    /// The price of each symbol, in the order of `symbols`, or nil for a symbol without a price.
    private func prices(
        _ source: PriceSource, _ body: String, _ symbols: [String] = ["BTC-USD", "ETH-USD"]
    ) throws -> [String?] {
        let markets = try symbols.map { try source.market(of: Symbol($0)!) }
        let prices = try #require(source.shared).prices(
            of: markets, in: JSON(parsing: body.utf8), at: anyTime())
        return markets.map { prices[$0]?.text }
    }

    @Test func `several pairs are requested with one shared URL, and a single pair with its own URL`()
        throws
    {
        let list = "%5B%22BTCUSDT%22,%22ETHEUR%22%5D"
        #expect(try url(.binance, "BTC-USD", "ETH-EUR") == "\(binance)\(list)&symbolStatus=TRADING")
        #expect(try url(.kraken, "BTC-USD", "ETH-EUR") == kraken + "XBTUSD,ETHEUR")
        #expect(try url(.kraken, "ETH-EUR") == kraken + "ETHEUR")
    }

    @Test(.fault(66), arguments: Sample.lines("lists"))
    func `prices are read from an exchange's list of all markets, except prices with old timestamps`(
        sample: Sample
    ) throws {
        let (source, now) = (sample.source, anyTime().milliseconds)
        let request = try source.request(.bitcoin, Symbol("ETH-USD")!)
        let body = sample.text.replacing("NOW", with: "\(now)").replacing("SECONDS", with: "\(now / 1000)")
        #expect("\(request.url.text) \(request.largestBody) \(source.shared!.fewest)" == sample.columns[0])
        let symbols = ["BTC-USD", "ETH-USD", "OLD-USD", "NOPE-USD"]
        #expect(try prices(source, body, symbols) == ["1.5", "2.5", nil, nil])
        #expect(throws: InvalidInput.self) { try prices(source, "{}") }
        if source.name == "gemini" { return }
        let late = body.replacing("\(now)", with: "\(now - 61_000)")
            .replacing("\(now / 1000)", with: "\(now / 1000 - 61)")
        #expect((try? prices(source, late)) ?? [nil, nil] == [nil, nil])
    }

    @Test func `a market shared by two symbols is requested once, and both symbols get its price`() throws {
        let url = try url(.binance, "BTC-USD", "BTC-USDT", "ETH-USD")
        #expect(url == "\(binance)%5B%22BTCUSDT%22,%22ETHUSDT%22%5D&symbolStatus=TRADING")
        let body = #"[{"symbol":"BTCUSDT","price":"1.5"}]"#
        #expect(try prices(.binance, body, ["BTC-USD", "BTC-USDT"]) == ["1.5", "1.5"])
    }

    @Test
    func `a request to another host may cover several pairs, but a fixed URL serves only one pair`() throws {
        let mirror = try url(.kraken.asked(below: "http://localhost:8080/x"), "BTC-USD", "ETH-USD")
        #expect(mirror == "http://localhost:8080/x/0/public/Ticker?pair=XBTUSD,ETHUSD")
        #expect(PriceSource.kraken.asked(at: "http://localhost/price.json").shared == nil)
    }

    @Test(.fault(9, 10), arguments: Sample.lines("tickers"))
    func `prices are matched to pairs by market name`(sample: Sample) throws {
        guard !sample.columns[0].hasPrefix("the answer") else {
            #expect(throws: InvalidInput(sample.columns[0])) { try prices(sample.source, sample.text) }
            return
        }
        let found = try prices(sample.source, sample.text).map { $0 ?? "-" }
        #expect(found.joined(separator: " ") == sample.columns[0])
    }

    @Test(.fault(10)) func `a market name that fits two of the requested pairs is used for neither pair`()
        throws
    {
        let body = #"{"error":[],"result":{"XCNUSD":{"c":["1.5"]},"CNUSD":{"c":["2.5"]}}}"#
        #expect(try prices(.kraken, body, ["XCN-USD", "CN-USD"]) == [nil, "2.5"])
    }

    @Test(.fault(45)) func `each price in a shared answer becomes a quote, unless the answer is old`() throws
    {
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
