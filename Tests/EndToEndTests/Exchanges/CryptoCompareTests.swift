import TestTraits
import Testing

@testable import price_fetch

@Suite(.endToEnd) struct CryptoCompareTests {
    /// https://min-api.cryptocompare.com/documentation
    private let sample = ExchangeSample(
        source: .cryptoCompare,
        address: "https://min-api.cryptocompare.com/data/generateAvg?fsym=BTC&tsym=USD&e=coinbase",
        answer: (
            #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"USD","PRICE":103457.51,"LASTUPDATE":1737685911}}"#,
            "103457.51"
        ),
        others: [
            #"{"RAW":{"FROMSYMBOL":"ETH","TOSYMBOL":"USD","PRICE":103457.51,"LASTUPDATE":1737685911}}"#,
            #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"EUR","PRICE":103457.51,"LASTUPDATE":1737685911}}"#,
            #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"USD","PRICE":"103457.51","LASTUPDATE":1737685911}}"#,
            #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"USD","PRICE":1.0345751e400,"LASTUPDATE":1737685911}}"#,
        ],
        refusals: [
            (200, #"{"Response":"Error","Message":"You are over your rate limit","Type":99}"#, .rateLimited),
            (401, #"{"Data":{},"Err":{"type":2,"message":"API key required"}}"#, .denied),
        ])

    @Test(.fault(10, 11)) func `prices and refusals are read`() throws { try sample.checkPrices() }
    @Test(.fault(45)) func `times are read only in the exchange's unit`() throws { try sample.checkTimes() }
}
