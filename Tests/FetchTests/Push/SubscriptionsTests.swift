import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// The requests to subscribe to the markets of a feed and to unsubscribe from them.
@Suite(.unit) struct SubscriptionsTests {
    private static let start = Deadline.Instant.now

    /// Subscriptions on a simulated clock.
    private struct Client {
        var sut: Subscriptions
        /// The time since the start.
        var time = Duration.zero

        init(asking markets: String..., largestBatch: Int = .max) {
            sut = Subscriptions(largestBatch: largestBatch)
            for market in markets { sut.ask(market, at: now) }
        }

        var now: Deadline.Instant { SubscriptionsTests.start + time }
        /// The time from the start to the next deadline; nil if there is no deadline.
        var deadline: Duration? { sut.nextDeadline.map { $0.instant - SubscriptionsTests.start } }

        /// - Returns: the reason why the market is excluded; nil if it is not excluded.
        mutating func ask(_ market: String) -> FetchError? {
            sut.ask(market, at: now)
            return sut.refusal(of: market, at: now)
        }

        /// - Parameter duration: the time since the start to which the clock is set; nil to leave the clock unchanged.
        /// - Returns: the verb and the markets of the next request; nil if no request is due.
        mutating func next(after duration: Duration? = nil) -> String? {
            time = duration ?? time
            _ = sut.expire(at: now)
            return sut.next(at: now).map { "\($0.verb) \($0.markets.joined(separator: " "))" }
        }

        /// - Returns: the rejected market; nil if it is not known which market was rejected.
        mutating func refuse(_ reason: String) -> String? { sut.refuse(reason, at: now) }

        /// - Returns: whether the exchange ended a subscription that we had not canceled.
        mutating func end(_ market: String) -> Bool { sut.end(market, at: now) }
    }

    /// A client that has subscribed to these markets. The exchange has accepted the subscriptions.
    private func accepted(_ markets: String...) -> Client {
        var client = Client()
        for market in markets { _ = client.ask(market) }
        _ = client.next()
        client.sut.accept()
        return client
    }

    @Test func `one request subscribes to all new markets and names each market once`() {
        var client = Client(asking: "B", "A", "B")
        #expect(client.next() == "subscribe A B")
        client.sut.accept()
        #expect(client.ask("A") == nil && client.next(after: .seconds(1)) == nil)
    }

    @Test func `a request waits until the preceding request is accepted or five seconds have passed`() {
        var client = Client(asking: "A", "B", "C", largestBatch: 1)
        #expect(client.next() == "subscribe A")
        client.sut.accept()
        #expect(client.next() == "subscribe B" && client.deadline == .seconds(5))
        #expect(client.next(after: .milliseconds(4999)) == nil)
        #expect(client.next(after: .seconds(5)) == "subscribe C")
    }

    @Test func `a request counts as accepted when the exchange has accepted every market in the request`() {
        var client = Client(asking: "A", "B", "C", largestBatch: 2)
        #expect(client.next() == "subscribe A B")
        client.sut.accept("A")
        #expect(client.next() == nil)
        client.sut.accept("B")
        #expect(client.next() == "subscribe C")
    }

    @Test func `a market named in a rejection is left out, and the other markets are requested again`() {
        var client = Client(asking: "A-USD", "NO-USD", "B-USD")
        _ = client.next()
        #expect(client.refuse("NO-USD is not a valid product") == "NO-USD")
        #expect(client.next() == "subscribe A-USD B-USD")
    }

    @Test func `after a rejection that does not name a market, the markets are tried one by one`() {
        var client = Client(asking: "A", "B", "C")
        _ = client.next()
        #expect(client.refuse("Invalid request") == nil && client.next() == "subscribe A")
        #expect(client.refuse("Invalid request") == "A" && client.refuse("not C") == "C")
        #expect(client.next() == "subscribe B")
        client.sut.accept()
        #expect(client.next() == nil)
    }

    @Test func `markets may be rejected one by one, even after their request was accepted`() {
        var client = accepted("A/USD", "NO/USD", "NE/USD")
        #expect(client.refuse("Currency pair not supported NO/USD") == "NO/USD")
        #expect(client.refuse("Currency pair not supported NE/USD") == "NE/USD")
        #expect(client.next() == nil && client.sut.contains("A/USD") && !client.sut.contains("NO/USD"))
        #expect(client.ask("NE/USD")?.message == "Currency pair not supported NE/USD")
    }

    @Test func `an acceptance that names a market applies only to that market`() {
        var client = Client(asking: "A/USD", "NO/USD")
        _ = client.next()
        // A late answer to an earlier request
        client.sut.accept("OLD/USD")
        client.sut.accept("A/USD")
        #expect(client.sut.isWaiting)
        // A rejection that does not name a market can now apply to only one market.
        #expect(client.refuse("not supported") == "NO/USD")
        #expect(client.next() == nil && client.sut.contains("A/USD"))
    }

    @Test func `a late rejection does not affect the request in progress`() {
        var client = Client(asking: "A/USD", "NO/USD")
        _ = client.next()
        for request in ["subscribe A/USD", nil] {
            #expect(client.refuse("not supported NO/USD") == "NO/USD")
            #expect(client.sut.contains("A/USD") && client.next() == request)
        }
    }

    @Test func `a rejected market is not requested again for a minute`() {
        var client = Client(asking: "A")
        _ = client.next()
        _ = client.refuse("no")
        client.time = .milliseconds(59_999)
        #expect(client.ask("A") == FetchError(.unsupported, "no", retry: .milliseconds(1)))
        client.time = .seconds(60)
        #expect(client.ask("A") == nil && client.next() == "subscribe A")
    }

    @Test(arguments: [
        ("NO-USD", "Wrong URL or channel:tickers,instId:NO-USD doesn't exist. Please use the correct URL."),
        ("NOUSDT", "Invalid symbol :[tickers.NOUSDT]"), ("nousd", "Invalid parameters: nousd@trade"),
        ("NO-USD", "NO-USD is not a valid product"), ("NO/USD", "Currency pair not supported NO/USD"),
    ])
    func `the rejected market is found in each exchange's error message`(market: String, words: String) {
        var client = Client(asking: "AUSDT", market, "B-USD")
        _ = client.next()
        #expect(client.refuse(words) == market)
    }

    @Test func `a subscription is renewed by canceling it and requesting it again`() {
        var client = accepted("A", "B")
        client.sut.renew("A")
        #expect(client.next() == "unsubscribe A")
        client.sut.accept()
        #expect(client.next() == "subscribe A")
        client.sut.accept()
        #expect(client.next() == nil)
    }

    @Test func `a subscription is canceled after a minute without ticks for its market`() {
        var client = accepted("A", "B")
        client.time = .seconds(30)
        #expect(client.ask("B") == nil && client.deadline == .seconds(60))
        #expect(client.next(after: .milliseconds(59_999)) == nil)
        #expect(client.next(after: .seconds(60)) == "unsubscribe A")
        #expect(!client.sut.contains("A") && client.sut.contains("B"))
        #expect(client.ask("A") == nil && client.next() == nil)
        client.sut.accept()
        #expect(client.next() == "subscribe A")
    }

    @Test func `after an unanswered request, a rejection that does not name a market is ignored`() {
        var client = Client(asking: "a", "b", largestBatch: 1)
        _ = client.next()
        #expect(client.next(after: .seconds(5)) == "subscribe b")
        // The rejection may be about the first request or about the second request.
        #expect(client.refuse("Bad subscription string.") == nil && client.next(after: .seconds(6)) == nil)
        #expect(client.sut.contains("a") && client.sut.contains("b"))
        client.sut.reconnect()
        _ = client.next()
        #expect(client.refuse("Bad subscription string.") == "a")
    }

    @Test func `a subscription that the exchange ends is requested again after five seconds`() {
        var client = accepted("A")
        #expect(client.end("A") && client.deadline == .seconds(5))
        #expect(client.next(after: .milliseconds(4999)) == nil)
        #expect(client.next(after: .seconds(5)) == "subscribe A")
    }

    @Test func `this pause also applies if the markets are tried one by one`() {
        var client = Client(asking: "A", "B")
        #expect(client.next() == "subscribe A B" && client.end("A") && client.refuse("Invalid") == nil)
        #expect(client.next() == "subscribe B")
        client.sut.accept()
        #expect(client.next(after: .milliseconds(4999)) == nil)
        #expect(client.next(after: .seconds(5)) == "subscribe A")
    }

    @Test func `the answer to a request to unsubscribe may be a message that the subscription has ended`() {
        var client = accepted("A")
        #expect(client.next(after: .seconds(60)) == "unsubscribe A")
        #expect(!client.end("A") && client.sut.isEmpty && !client.sut.isWaiting)
    }
}
