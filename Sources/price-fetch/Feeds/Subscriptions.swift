import PipeCommon

/// The subscriptions of an exchange's feed, one request at a time: markets that ticks have asked for are
/// subscribed together, one that the exchange refuses is left out, and one that nobody has asked for is dropped. Pure.
struct Subscriptions {
    enum Verb: String {
        case subscribe, unsubscribe
    }

    /// A market is unsubscribed when it was not asked for during this time.
    private static let unusedLimit = Duration.seconds(60)
    /// A request that is neither accepted nor refused in this time counts as accepted.
    private static let answerLimit = Duration.seconds(5)

    /// A subscription that the exchange has ended is asked for again after this time.
    private static let pause = Duration.seconds(5)

    /// The most markets in one request.
    private let largestBatch: Int
    private var lastAsked: [String: Deadline.Instant] = [:]
    private var subscribed: Set<String> = []
    /// Markets that were refused together, to be tried one by one.
    private var alone: [String] = []
    /// The markets to be subscribed; none if some are to be unsubscribed.
    private var underWay: (markets: [String], limit: Deadline)?
    /// Whether a request was not answered in time, so that any words may be about that one.
    private var isAnswerMissing = false
    private var refusals: [String: Cooldown<String>] = [:]
    private var pauses: [String: Deadline] = [:]

    init(largestBatch: Int = .max) {
        self.largestBatch = largestBatch
    }

    /// Notes that a tick asks for a market.
    mutating func ask(_ market: String, at now: Deadline.Instant) {
        guard refusal(of: market, at: now) == nil else { return }
        refusals[market] = nil
        lastAsked[market] = now
    }

    /// The exchange's words when it has refused the market, as long as that is believed.
    func refusal(of market: String, at now: Deadline.Instant) -> FetchError? {
        refusals[market]?.reason(at: now).map { FetchError(.unsupported, $0.reason, retry: $0.remaining) }
    }

    /// Whether a market is asked for. It may be subscribed although the request that it was in counts as refused.
    func contains(_ market: String) -> Bool {
        lastAsked[market] != nil
    }

    /// Whether no market is asked for.
    var isEmpty: Bool { lastAsked.isEmpty }

    var isWaiting: Bool { underWay != nil }

    /// When `expire` has to be called again.
    var nextDeadline: Deadline? {
        let unused = lastAsked.values.min().map { Deadline(in: Self.unusedLimit, from: $0) }
        return ([underWay?.limit, unused].compactMap(\.self) + pauses.values).min()
    }

    /// To be called whether the connection is open or not.
    ///
    /// - Returns: the markets that nobody has asked for in a minute.
    mutating func expire(at now: Deadline.Instant) -> [String] {
        if underWay?.limit.hasPassed(at: now) == true { (underWay, isAnswerMissing) = (nil, true) }
        pauses = pauses.filter { !$0.value.hasPassed(at: now) }
        let unused = lastAsked.filter { now - $0.value >= Self.unusedLimit }.keys
        for market in unused { lastAsked[market] = nil }
        return Array(unused)
    }

    /// The next request to send while the connection is open; nil when there is none now.
    mutating func next(at now: Deadline.Instant) -> (verb: Verb, markets: [String])? {
        guard underWay == nil else { return nil }
        let limit = Deadline(in: Self.answerLimit, from: now)
        let dropped = Array(subscribed.filter { !contains($0) }.sorted().prefix(largestBatch))
        if !dropped.isEmpty {
            subscribed.subtract(dropped)
            underWay = ([], limit)
            return (.unsubscribe, dropped)
        }
        alone = alone.filter(contains)
        let new = lastAsked.keys.filter {
            !subscribed.contains($0) && !alone.contains($0) && pauses[$0] == nil
        }.sorted()
        let batch = alone.isEmpty ? Array(new.prefix(largestBatch)) : [alone.removeFirst()]
        guard !batch.isEmpty else { return nil }
        subscribed.formUnion(batch)
        underWay = (batch, limit)
        return (.subscribe, batch)
    }

    /// The exchange has accepted the last request.
    mutating func accept() {
        underWay = nil
    }

    /// The subscription of a market has ended.
    ///
    /// - Returns: false if that was our wish.
    mutating func end(_ market: String, at now: Deadline.Instant) -> Bool {
        guard subscribed.remove(market) != nil else {
            accept()
            return false
        }
        pauses[market] = Deadline(in: Self.pause, from: now)
        return true
    }

    /// The exchange has refused a market that its words name, or else the last request. Some exchanges answer for each
    /// market of a request, so that others may have been accepted or refused before.
    ///
    /// - Returns: the market that is refused; nil when that is not known yet.
    mutating func refuse(_ reason: String, at now: Deadline.Instant) -> String? {
        let markets = underWay?.markets ?? []
        let known = markets + lastAsked.keys + refusals.keys
        let named = known.first { Self.names(reason, $0) }
        if named == nil, isAnswerMissing { return nil }
        let refused = named ?? (markets.count == 1 ? markets[0] : nil)
        if refused.map(markets.contains) ?? true {
            underWay = nil
            subscribed.subtract(markets)
        }
        guard let refused else {
            alone += markets
            return nil
        }
        subscribed.remove(refused)
        leaveOut(refused, because: reason, at: now)
        return refused
    }

    /// Does not ask for a market again for a minute.
    mutating func leaveOut(_ market: String, because reason: String, at now: Deadline.Instant) {
        lastAsked[market] = nil
        refusals[market, default: Cooldown()].start(reason, for: RetryAfter.usual, at: now)
    }

    /// A new connection knows of no subscription.
    mutating func reconnect() {
        (subscribed, alone, underWay, isAnswerMissing, pauses) = ([], [], nil, false, [:])
    }

    /// Whether a text has a market's name as a word of its own.
    private static func names(_ text: String, _ market: String) -> Bool {
        text.split { $0 == " " || $0 == "," || $0 == "'" || $0 == "\"" }.contains { $0 == market }
    }
}
