import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// The rule that a problem is reported when it begins, and again after a quote.
@Suite(.unit) struct SourceNoticesTests {
    private let bitcoin = Subject(.bitcoin)
    private let ether = Subject(Symbol("ETH-USD")!)
    private let invalid = FetchError(.invalidData, "/price is not a price")
    private let unsupported = FetchError(.unsupported, "status 400: Invalid symbol.", status: 400)

    @Test func `repeated invalid data is reported once, and again after a quote`() {
        let sut = SourceNotices(of: .binance)
        #expect(sut.record(invalid, of: bitcoin) == "binance: BTC-USD: /price is not a price")
        #expect(sut.record(invalid, of: bitcoin) == nil)
        #expect(sut.record(FetchError(.invalidData, "the answer has no /price"), of: bitcoin) == nil)
        sut.recordQuote(of: bitcoin)
        #expect(sut.record(invalid, of: bitcoin) != nil)
    }

    @Test func `a problem with one symbol is reported once, whatever happens to the others`() {
        let sut = SourceNotices(of: .binance)
        #expect(
            sut.record(unsupported, of: ether)
                == "binance: ETH-USD is not supported: status 400: Invalid symbol.")
        for _ in 0..<3 {
            sut.recordQuote(of: bitcoin)
            #expect(sut.record(unsupported, of: ether) == nil)
        }
        #expect(sut.record(unsupported, of: bitcoin) != nil)
    }

    @Test(arguments: [
        (FetchError(.invalidData, "status 500: Oops", status: 500), "binance: status 500: Oops"),
        (FetchError(.network, "refused"), "binance: unreachable: refused"),
        (FetchError(.rateLimited, "status 429", status: 429), "binance: status 429; pausing requests"),
        (FetchError(.denied, "status 401: No", status: 401), "binance: status 401: No; pausing requests"),
    ])
    func `a problem with the source is reported once for all symbols, and again after a quote`(
        error: FetchError, notice: String
    ) {
        let sut = SourceNotices(of: .binance)
        #expect(sut.record(error, of: bitcoin) == notice)
        #expect(sut.record(error, of: ether) == nil && sut.record(error, of: bitcoin) == nil)
        sut.recordQuote(of: ether)
        #expect(sut.record(error, of: bitcoin) == notice)
    }

    @Test func `a changed problem is reported again`() {
        let sut = SourceNotices(of: .binance)
        #expect(sut.record(FetchError(.invalidData, "status 500", status: 500), of: bitcoin) != nil)
        #expect(sut.record(FetchError(.invalidData, "status 502", status: 502), of: bitcoin) != nil)
        #expect(sut.record(FetchError(.network, "refused"), of: bitcoin) != nil)
        #expect(sut.record(FetchError(.network, "reset"), of: bitcoin) == nil)
    }

    @Test func `a status that the user can do something about is reported with advice`() {
        let sut = SourceNotices(of: .cryptoCompare)
        let notice = sut.record(FetchError(.denied, "status 401", status: 401), of: bitcoin)
        #expect(notice?.hasSuffix("; requires a valid API key: export CRYPTOCOMPARE_API_KEY=...") == true)
    }

    @Test func `a timeout is not reported here`() {
        let sut = SourceNotices(of: .binance)
        #expect(sut.record(FetchError(.timeout, "no answer within 800 ms"), of: bitcoin) == nil)
    }
}
