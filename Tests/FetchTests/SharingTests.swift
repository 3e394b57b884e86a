import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// When symbols share a request, and when each is asked for alone.
@Suite(.unit) struct SharingTests {
    private let start = Deadline.Instant.now
    private let good = Symbol("BTC-USD")!
    private let other = Symbol("ETH-USD")!
    private let bad = Symbol("NO-USD")!

    private func allowed(_ sut: Sharing, after seconds: Int = 0) -> Set<Symbol> {
        Set([good, other, bad].filter { sut.allows($0, at: start + .seconds(seconds)) })
    }

    @Test func `after a shared request has failed, each symbol is alone until it has a quote`() {
        var sut = Sharing()
        sut.recordFailure(ofTogether: [good, other, bad], at: start)
        #expect(allowed(sut) == [])
        sut.recordQuote(ofAlone: good, at: start)
        sut.recordFailure(ofAlone: bad, at: start)
        sut.recordQuote(ofAlone: other, at: start)
        #expect(allowed(sut) == [good, other])
        // Although it is asked for again after a minute
        #expect(allowed(sut, after: 61) == [good, other])
        sut.recordQuote(ofAlone: bad, at: start + .seconds(61))
        #expect(allowed(sut, after: 61) == [good, other, bad])
    }

    @Test func `a symbol that an answer has left out is alone for a minute`() {
        var sut = Sharing()
        sut.recordAbsence(of: bad, at: start)
        for seconds in [0, 59] { sut.recordQuote(ofAlone: bad, at: start + .seconds(seconds)) }
        #expect(allowed(sut, after: 59) == [good, other])
        sut.recordQuote(ofAlone: bad, at: start + .seconds(60))
        #expect(allowed(sut, after: 60) == [good, other, bad])
    }

    /// A shared request fails at a time, and each of its symbols has a quote alone.
    private func fail(_ sut: inout Sharing, after seconds: Int) {
        let now = start + .seconds(seconds)
        sut.recordFailure(ofTogether: [good, other], at: now)
        for symbol in [good, other] { sut.recordQuote(ofAlone: symbol, at: now) }
    }

    @Test func `if shared requests fail whose symbols all have quotes alone, nothing is shared for a minute`()
    {
        var sut = Sharing()
        fail(&sut, after: 0)
        #expect(allowed(sut) == [good, other, bad])
        fail(&sut, after: 1)
        #expect(allowed(sut, after: 60) == [])
        #expect(allowed(sut, after: 61) == [good, other, bad])
        fail(&sut, after: 61)
        #expect(allowed(sut, after: 120) == [])
    }

    @Test func `failures with quotes of a shared request between them do not add up`() {
        var sut = Sharing()
        fail(&sut, after: 0)
        sut.recordQuotesTogether()
        fail(&sut, after: 1)
        #expect(allowed(sut, after: 1) == [good, other, bad])
    }
}
