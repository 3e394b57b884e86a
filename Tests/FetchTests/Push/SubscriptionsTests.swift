import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// Which markets a feed is asked for, request by request.
@Suite(.unit) struct SubscriptionsTests {
    private let start = Deadline.Instant.now

    private func next(
        _ sut: inout Subscriptions, after duration: Duration
    ) -> Subscriptions.Request? {
        _ = sut.expire(at: start + duration)
        return sut.next(at: start + duration)
    }

    @Test func `the markets of one beat are subscribed together, once`() {
        var sut = Subscriptions()
        for market in ["B", "A", "B"] { #expect(sut.ask(market, at: start) == nil) }
        #expect(sut.next(at: start) == .subscribe(["A", "B"]))
        sut.accept()
        _ = sut.ask("A", at: start + .seconds(1))
        #expect(sut.next(at: start + .seconds(1)) == nil)
    }

    @Test func `a request waits until the one before it is accepted, or five seconds have passed`() {
        var sut = Subscriptions()
        _ = sut.ask("A", at: start)
        _ = sut.next(at: start)
        _ = sut.ask("B", at: start)
        #expect(next(&sut, after: .milliseconds(4999)) == nil)
        #expect(sut.nextDeadline == Deadline(in: .seconds(5), from: start))
        #expect(next(&sut, after: .seconds(5)) == .subscribe(["B"]))
    }

    @Test func `a batch is no larger than the exchange takes`() {
        var sut = Subscriptions(largestBatch: 1)
        for market in ["A", "B"] { _ = sut.ask(market, at: start) }
        #expect(sut.next(at: start) == .subscribe(["A"]))
        sut.accept()
        #expect(sut.next(at: start) == .subscribe(["B"]))
    }

    @Test func `a market that is named in a refusal is left out, and the others are asked for again`() {
        var sut = Subscriptions()
        for market in ["A-USD", "NO-USD", "B-USD"] { _ = sut.ask(market, at: start) }
        _ = sut.next(at: start)
        #expect(sut.refuse("NO-USD is not a valid product", at: start) == "NO-USD")
        #expect(sut.next(at: start) == .subscribe(["A-USD", "B-USD"]))
    }

    @Test func `when a refusal names no market, they are tried one by one`() {
        var sut = Subscriptions()
        for market in ["A", "B"] { _ = sut.ask(market, at: start) }
        _ = sut.next(at: start)
        #expect(sut.refuse("Invalid request", at: start) == nil)
        #expect(sut.next(at: start) == .subscribe(["A"]))
        #expect(sut.refuse("Invalid request", at: start) == "A")
        #expect(sut.next(at: start) == .subscribe(["B"]))
        sut.accept()
        #expect(sut.next(at: start) == nil)
    }

    @Test func `markets of one request may be accepted and refused one by one, in any order`() {
        var sut = Subscriptions()
        for market in ["A/USD", "NO/USD", "NE/USD"] { _ = sut.ask(market, at: start) }
        _ = sut.next(at: start)
        sut.accept()
        #expect(sut.refuse("Currency pair not supported NO/USD", at: start) == "NO/USD")
        #expect(sut.refuse("Currency pair not supported NE/USD", at: start) == "NE/USD")
        #expect(sut.next(at: start) == nil)
        #expect(sut.contains("A/USD") && !sut.contains("NO/USD"))
        #expect(sut.ask("NE/USD", at: start)?.reason == "Currency pair not supported NE/USD")
    }

    @Test func `a late refusal does not refuse the request that is under way`() {
        var sut = Subscriptions()
        for market in ["A/USD", "NO/USD"] { _ = sut.ask(market, at: start) }
        _ = sut.next(at: start)
        #expect(sut.refuse("not supported NO/USD", at: start) == "NO/USD")
        #expect(sut.contains("A/USD"))
        #expect(sut.next(at: start) == .subscribe(["A/USD"]))
        #expect(sut.refuse("not supported NO/USD", at: start) == "NO/USD")
        #expect(sut.contains("A/USD"))
        #expect(sut.next(at: start) == nil)
    }

    @Test func `a refused market is not asked for again for a minute`() {
        var sut = Subscriptions()
        _ = sut.ask("A", at: start)
        _ = sut.next(at: start)
        _ = sut.refuse("no", at: start)
        let refusal = sut.ask("A", at: start + .milliseconds(59_999))
        #expect(refusal?.reason == "no" && refusal?.remaining == .milliseconds(1))
        #expect(sut.ask("A", at: start + .seconds(60)) == nil)
        #expect(sut.next(at: start + .seconds(60)) == .subscribe(["A"]))
    }

    @Test func `a market that nobody has asked for in a minute is unsubscribed`() {
        var sut = Subscriptions()
        for market in ["A", "B"] { _ = sut.ask(market, at: start) }
        _ = sut.next(at: start)
        sut.accept()
        _ = sut.ask("B", at: start + .seconds(30))
        #expect(next(&sut, after: .milliseconds(59_999)) == nil)
        #expect(sut.nextDeadline == Deadline(in: .seconds(60), from: start))
        #expect(next(&sut, after: .seconds(60)) == .unsubscribe(["A"]))
        #expect(!sut.contains("A") && sut.contains("B"))
        _ = sut.ask("A", at: start + .seconds(61))
        #expect(sut.next(at: start + .seconds(61)) == nil)
        sut.accept()
        #expect(sut.next(at: start + .seconds(61)) == .subscribe(["A"]))
    }

    @Test func `a new connection is asked for everything again`() {
        var sut = Subscriptions()
        for market in ["A", "B"] { _ = sut.ask(market, at: start) }
        _ = sut.next(at: start)
        sut.reconnect()
        #expect(sut.next(at: start) == .subscribe(["A", "B"]))
    }

    @Test func `after a request that was not answered, words without a name refuse nothing`() {
        var sut = Subscriptions(largestBatch: 1)
        for market in ["a", "b"] { _ = sut.ask(market, at: start) }
        _ = sut.next(at: start)
        #expect(next(&sut, after: .seconds(5)) == .subscribe(["b"]))
        // They are about the first request, or about the second one.
        #expect(sut.refuse("Bad subscription string.", at: start + .seconds(5)) == nil)
        #expect(sut.contains("a") && sut.contains("b"))
        #expect(next(&sut, after: .seconds(6)) == nil)
        sut.reconnect()
        _ = sut.next(at: start)
        #expect(sut.refuse("Bad subscription string.", at: start) == "a")
    }

    @Test func `a subscription that the exchange ends is asked for again after five seconds`() {
        var sut = Subscriptions()
        _ = sut.ask("A", at: start)
        _ = sut.next(at: start)
        sut.accept()
        let wasEnded = sut.end("A", at: start)
        #expect(wasEnded)
        #expect(next(&sut, after: .milliseconds(4999)) == nil)
        #expect(sut.nextDeadline == Deadline(in: .seconds(5), from: start))
        #expect(next(&sut, after: .seconds(5)) == .subscribe(["A"]))
    }

    @Test func `the end of a subscription that was asked for is the answer to that`() {
        var sut = Subscriptions()
        _ = sut.ask("A", at: start)
        _ = sut.next(at: start)
        sut.accept()
        #expect(next(&sut, after: .seconds(60)) == .unsubscribe(["A"]))
        let wasEnded = sut.end("A", at: start + .seconds(60))
        #expect(!wasEnded && sut.isEmpty && !sut.isWaiting)
    }
}
