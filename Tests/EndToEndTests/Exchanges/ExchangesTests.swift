import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Each source, tested with its sample messages and with malformed or damaged answers.
@Suite(.endToEnd) struct ExchangesTests {
    private static let samples = ExchangeSample.all

    @Test(.fault(9, 10, 11), arguments: samples)
    func `prices and errors are recognized, and other answers are rejected`(sample: ExchangeSample) throws {
        try sample.checkPrices()
    }

    @Test(.fault(9), arguments: samples)
    func `a price that is read from a damaged answer occurs in that answer`(sample: ExchangeSample) throws {
        try sample.checkDamagedAnswers()
    }

    @Test(.fault(45), arguments: samples.filter { $0.source.time != nil })
    func `a time is accepted only if it is recent and in the exchange's unit`(sample: ExchangeSample) throws {
        try sample.checkTimes()
    }

    @Test(.fault(50), arguments: samples.filter { $0.source.candles != nil })
    func `candles are read and matched to ticks by time`(sample: ExchangeSample) throws {
        try sample.checkCandles()
    }

    @Test(.fault(48), arguments: samples.filter { $0.source.push != nil })
    func `requests to a feed have the documented form, and the feed's messages are understood`(
        sample: ExchangeSample
    ) throws {
        try sample.checkFeed()
    }

    @Test func `names of sources are unique and consist of 2 to 16 lowercase letters and digits`() {
        let names = PriceSource.all.map(\.name)
        #expect(Set(names).count == names.count && !names.contains(EchoFeed.name))
        #expect(names.allSatisfy { $0.wholeMatch(of: /[a-z0-9]{2,16}/) != nil })
    }

    @Test(arguments: samples)
    func `each source uses TLS for prices, candles and its feed`(sample: ExchangeSample) throws {
        let source = sample.source
        let market = try source.market(of: .bitcoin)
        let span = CandleSpan(candle: .day, first: anyTime(), count: 3, isCut: false)
        #expect(source.url(market).hasPrefix("https://"))
        if let candles = source.candles { #expect(candles.url(market, span).hasPrefix("https://")) }
        if let push = source.push { #expect(push.address.transport.text.hasPrefix("https://")) }
    }

    @Test(.fault(13, 14), arguments: samples)
    func `without a known error message, the status determines the kind of failure`(sample: ExchangeSample)
        throws
    {
        let market = try sample.source.market(of: .bitcoin)
        for (status, kind) in [
            (429, Failure.Kind.rateLimited), (403, .denied), (451, .denied), (500, .invalidData),
        ] {
            for body in ["", "<html>", "{}", "[]"] {
                let response = HTTPResponse(status: status, body: Array(body.utf8))
                let error = #expect(throws: FetchError.self) {
                    try sample.source.prices(of: [market], in: response, at: anyTime())
                }
                #expect(error?.kind == kind, "\(status) \(body)")
            }
        }
    }
}
