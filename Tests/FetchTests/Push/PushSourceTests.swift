import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// How messages from the exchanges' feeds are read, and how requests to unsubscribe are written.
@Suite(.unit) struct PushSourceTests {
    @Test(arguments: Sample.lines("feeds"))
    func `each exchange's messages are interpreted as its documentation describes`(sample: Sample) throws {
        let message = try #require(sample.source.push).message(JSON(parsing: sample.text.utf8))
        #expect(message.meaning == sample.columns[0])
    }

    @Test(arguments: Sample.lines("unsubscribe", columns: 0))
    func `a request to unsubscribe contains the exchange's market names`(sample: Sample) throws {
        let push = try #require(sample.source.push)
        let markets = try ["BTC-USD", "ETH-EUR"].map { push.name(try sample.source.market(of: Symbol($0)!)) }
        #expect(push.request(.unsubscribe, markets) == sample.text)
    }
}

extension PushSource.Message {
    /// The message in the notation of `Samples/feeds`.
    fileprivate var meaning: String {
        let named = { (verb: String, market: String?) in verb + (market.map { " \($0)" } ?? "") }
        switch self {
        case .price(let price, let market, let sequence, let time):
            let number = sequence.map { " number \($0)," } ?? ""
            return "price \(price.text) of \(market),\(number) at \(time.text)"
        case .several(let messages): return messages.map(\.meaning).joined(separator: "; ")
        case .unreadable(let market, let reason): return named("unreadable", market) + ": \(reason)"
        case .accepted(let market): return named("accepted", market)
        case .subscribed(let markets): return (["subscribed"] + markets).joined(separator: " ")
        case .ended(let market): return "ended \(market)"
        case .refused(let reason): return "rejected: \(reason ?? FetchError.noReason)"
        case .halted(let reason): return "halted: \(reason)"
        case .heartbeat, .reconnect, .other: return "\(self)"
        }
    }
}
