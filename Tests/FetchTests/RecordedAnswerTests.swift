import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// Answers as the exchanges sent them, each with its oddity and where it was recorded or documented.
@Suite(.unit) struct RecordedAnswerTests {
    private func reading(
        _ source: PriceSource, _ status: Int, _ body: String, _ symbol: String = "BTC-USD", at time: String
    ) -> String {
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        do throws(FetchError) {
            return try source.quote(of: Symbol(symbol)!, in: response, at: Timestamp(time)!).price.text
        } catch {
            return "\(error.kind)"
        }
    }

    @Test(arguments: [
        // cryptocogs (rtomlin), captured 2026-06-19: nine decimals in the time
        (
            PriceSource.coinbase, "BTC-USD", Payload.coinbase, "2026-06-19T16:43:34.100Z", "63212.97"
        ),
        // docs.cdp.coinbase.com, 2026-09-24: no size
        (
            .coinbase, "BTC-USD",
            #"{"ask":"83895.98","bid":"83895.97","volume":"7942.92773853","trade_id":1097689557,"price":"83895.98","time":"2026-09-24T04:33:45.647605322Z"}"#,
            "2026-09-24T04:40:00.000Z", "83895.98"
        ),
        // The same, received when nothing had been traded for ten minutes
        (.coinbase, "BTC-USD", Payload.coinbase, "2026-06-19T16:53:33.017Z", "invalidData"),
        // docs.kraken.com: the name of an old pair
        (
            .kraken, "BTC-USD",
            #"{"error":[],"result":{"XXBTZUSD":{"a":["27712.10000","8","8.000"],"b":["27712.00000","2","2.000"],"c":["27712.10000","0.01686188"],"v":["1414.57420708","1686.74719574"],"p":["27497.35370","27478.05822"],"t":[20034,23808],"l":["27229.80000","27229.80000"],"h":["27826.30000","27826.30000"],"o":"27413.00000"}}}"#,
            "2026-08-30T03:00:00.000Z", "27712.10000"
        ),
        // A wallet's fixtures of 2026-08-30: X and Z around a coin of three letters
        (
            .kraken, "ZEC-USD",
            #"{"error":[],"result":{"XZECZUSD":{"a":["831.60","1","1.000"],"b":["831.36","3","3.000"],"c":["833.37","0.05999736"],"v":["1792.18","17113.67"],"p":["836.08","828.17"],"t":[1411,13438],"l":["830.05","789.86"],"h":["843.67","847.96"],"o":"841.80"}}}"#,
            "2026-08-30T03:00:00.000Z", "833.37"
        ),
        // DOGEUSD is answered as XDGUSD, with one X and no Z
        (
            .kraken, "DOGE-USD",
            #"{"error":[],"result":{"XDGUSD":{"a":["0.070960700","1","1.000"],"c":["0.070960600","14148.69660064"]}}}"#,
            "2026-08-30T03:00:00.000Z", "0.070960600"
        ),
        (
            .kraken, "USDT-USD",
            #"{"error":[],"result":{"USDTZUSD":{"c":["0.99908000","500.00000000"],"o":"0.99920000"}}}"#,
            "2026-08-30T03:00:00.000Z", "0.99908000"
        ),
        // The same fixtures: Bitstamp's market type
        (
            .bitstamp, "ZEC-USD",
            #"{"timestamp":"1788058797","open":"839.00","high":"846.00","low":"789.95","last":"832.45","volume":"180.15","vwap":"815.35","bid":"831.23","ask":"845.00","side":"0","open_24":"807.71","percent_change_24":"3.06","market_type":"SPOT"}"#,
            "2026-08-30T02:59:59.900Z", "832.45"
        ),
        // With the pair, as in the list of all markets
        (
            .bitstamp, "BTC-USD",
            #"{"timestamp":"1788058797","last":"77265","market_type":"SPOT","pair":"BTC/USD","market":"BTC/USD"}"#,
            "2026-08-30T02:59:59.900Z", "77265"
        ),
        (
            .bitstamp, "PAX-USD", #"{"timestamp":"1788058797","last":"4065.10","pair":"PAXG/USD"}"#,
            "2026-08-30T02:59:59.900Z", "invalidData"
        ),
        // developers.binance.com: eight decimals
        (
            .binance, "LTC-BTC", #"{"symbol":"LTCBTC","price":"4.00000200"}"#, "2026-08-30T03:00:00.000Z",
            "4.00000200"
        ),
        // CryptoCompare writes small prices with an exponent
        (
            .cryptoCompare, "PEPE-USD",
            #"{"RAW":{"MARKET":"CUSTOMAGG","FROMSYMBOL":"PEPE","TOSYMBOL":"USD","FLAGS":0,"PRICE":1.2e-7,"LASTUPDATE":1788058797},"DISPLAY":{"PRICE":"$ 0.00000012"}}"#,
            "2026-08-30T02:59:59.900Z", "0.00000012"
        ),
    ])
    func `a recorded answer is read`(
        source: PriceSource, symbol: String, body: String, time: String, expected: String
    ) {
        #expect(reading(source, 200, body, symbol, at: time) == expected)
    }

    @Test(arguments: [
        // Kraken, from its documentation and issues
        (PriceSource.kraken, 200, #"{"error":["EGeneral:Invalid arguments"]}"#, "invalidData"),
        (.kraken, 200, #"{"error":["EQuery:Unknown asset pair"]}"#, "unsupported"),
        (.kraken, 200, #"{"error":["EService:Unavailable"]}"#, "network"),
        (.kraken, 200, #"{"error":["EAPI:Rate limit exceeded"]}"#, "rateLimited"),
        (.kraken, 520, "<!DOCTYPE html><html><title>api.kraken.com | 520</title></html>", "invalidData"),
        // Binance, from errors.md and issues
        (.binance, 400, #"{"code":-1121,"msg":"Invalid symbol."}"#, "unsupported"),
        (
            .binance, 400,
            #"{"code":-1220,"msg":"The symbol's status does not match the requested symbolStatus."}"#,
            "unsupported"
        ),
        (
            .binance, 451,
            #"{"code":0,"msg":"Service unavailable from a restricted location according to 'b. Eligibility'"}"#,
            "denied"
        ),
        (.binance, 403, "<html><head><title>403 Forbidden</title></head></html>", "denied"),
        (
            .binance, 418,
            #"{"code":-1003,"msg":"Way too much request weight used; IP banned until 1573770000000."}"#,
            "rateLimited"
        ),
        (.binance, 200, #"[{"symbol":"币安人生USDT","price":"0.07908100"}]"#, "invalidData"),
        (.binance, 200, #"{"symbol":"币安人生USDT","price":"0.07908100"}"#, "invalidData"),
        // Coinbase, ccxt#14280 and others
        (.coinbase, 404, #"{"message":"NotFound"}"#, "unsupported"),
        (.coinbase, 404, #"{"message":"Not allowed for delisted products"}"#, "unsupported"),
        (.coinbase, 400, #"{"message":"Not allowed for delisted products"}"#, "unsupported"),
        (.coinbase, 429, #"{"message":"Public rate limit exceeded"}"#, "rateLimited"),
        (.coinbase, 503, "<html>503 Service Temporarily Unavailable</html>", "invalidData"),
        (.coinbase, 200, #"{"message":"Service Unavailable"}"#, "invalidData"),
        (.coinbase, 200, #"{"trade_id":0,"price":"0","time":"1970-01-01T00:00:00Z"}"#, "invalidData"),
        (
            .coinbase, 200, #"{"ask":"1.01","bid":"1","volume":"0","time":"2026-08-30T03:00:00Z"}"#,
            "invalidData"
        ),
        // Bitstamp
        (.bitstamp, 404, "<html>Page not found</html>", "unsupported"),
        (
            .bitstamp, 400, #"{"status":"error","reason":"Rate limit exceeded.","response_code":"400.002"}"#,
            "rateLimited"
        ),
        // CryptoCompare, since 2026-05-21 and before
        (.cryptoCompare, 401, #"{"Data":{},"Err":{"type":2,"message":"API key required"}}"#, "denied"),
        (.cryptoCompare, 200, Payload.cryptoCompareError, "rateLimited"),
        (.cryptoCompare, 200, Payload.cryptoCompareUnknown, "unsupported"),
    ])
    func `a recorded refusal leads to the expected kind of failure`(
        source: PriceSource, status: Int, body: String, expected: String
    ) {
        #expect(reading(source, status, body, at: "2026-08-30T03:00:00.000Z") == expected)
    }

    @Test func `candles that Coinbase sent in 2026 are read`() throws {
        // cryptocogs (rtomlin), captured 2026-06-19
        let body = """
            [[1781887140,63234.99,63244.78,63244.78,63239.75,0.69450254],\
            [1781887080,63236.17,63262.46,63236.18,63244.77,0.89694057]]
            """
        let table = try CandlePage(
            JSON(parsing: Array(body.utf8)), of: PriceSource.coinbase.market(of: .bitcoin), .minute,
            from: .coinbase,
            received: Timestamp("2026-06-19T16:40:00.000Z")!)
        #expect(try table.price(of: Timestamp(milliseconds: 1_781_887_080_000)).text == "63244.77")
        let last = try table.candle(of: Timestamp(milliseconds: 1_781_887_140_000))
        #expect(last.close.text == "63239.75")
        #expect(
            last.range
                == CandleRange(
                    open: Price("63244.78"), high: Price("63244.78"), low: Price("63234.99"),
                    volume: Volume("0.69450254")))
    }
}
