import PipeCommon

/// Decides which markets to subscribe to and which to unsubscribe from, one request at a time. Subscribes to new
/// markets together if possible, excludes rejected markets for a minute, and unsubscribes from unused markets. Pure.
struct Subscriptions {
    /// The program unsubscribes from a market that no tick has requested for this long. If no other market is in use,
    /// it closes the connection instead.
    private static let unusedLimit = Duration.seconds(60)
    /// A request that is neither accepted nor rejected within this time counts as accepted.
    private static let answerLimit = Duration.seconds(5)

    /// If the exchange ends a subscription, the subscription is not requested again on the same connection for this
    /// long.
    private static let pause = Duration.seconds(5)

    /// The maximum number of markets in one request.
    private let largestBatch: Int
    private var lastAsked: [String: Deadline.Instant] = [:]
    private var subscribed: Set<String> = []
    /// The markets to unsubscribe from and then subscribe to again.
    private var renewed: Set<String> = []
    /// Markets that were rejected together, to be tried one by one.
    private var alone: [String] = []
    /// The request under way: the markets whose subscribe request has not been answered yet (none for an
    /// unsubscribe request), and the time limit for the answer. Nil if no request is under way.
    private var underWay: (markets: [String], limit: Deadline)?
    /// Whether the exchange failed to answer a request on this connection in time. If so, a later rejection may be the
    /// answer to that request.
    private var isAnswerMissing = false
    private var refusals: [String: Cooldown<String>] = [:]
    private var pauses: [String: Deadline] = [:]

    init(largestBatch: Int = .max) {
        self.largestBatch = largestBatch
    }

    /// Records that a tick requests a market, unless the market is excluded.
    mutating func ask(_ market: String, at now: Deadline.Instant) {
        guard refusal(of: market, at: now) == nil else { return }
        refusals[market] = nil
        lastAsked[market] = now
    }

    /// Why a market is excluded at the moment; nil if the market is not excluded.
    func refusal(of market: String, at now: Deadline.Instant) -> FetchError? {
        refusals[market]?.reason(at: now).map { FetchError(.unsupported, $0.reason, retry: $0.remaining) }
    }

    /// Whether a market is in use: a tick requested the market in the last minute, and the market has not been excluded
    /// at any time since. The messages about a market in use are processed even if the subscribe request counts as
    /// rejected, because the exchange may have accepted this market.
    func contains(_ market: String) -> Bool {
        lastAsked[market] != nil
    }

    /// Whether no market is in use.
    var isEmpty: Bool { lastAsked.isEmpty }

    var isWaiting: Bool { underWay != nil }

    /// When `expire` has to be called next; nil if nothing can expire.
    var nextDeadline: Deadline? {
        let unused = lastAsked.values.min().map { Deadline(in: Self.unusedLimit, from: $0) }
        return ([underWay?.limit, unused].compactMap(\.self) + pauses.values).min()
    }

    /// Drops unused markets, expired requests and expired pauses. Must be called even while there is no connection.
    ///
    /// - Returns: the markets that no tick has requested for a minute.
    mutating func expire(at now: Deadline.Instant) -> [String] {
        if underWay?.limit.hasPassed(at: now) == true { (underWay, isAnswerMissing) = (nil, true) }
        pauses = pauses.filter { !$0.value.hasPassed(at: now) }
        let unused = lastAsked.filter { now - $0.value >= Self.unusedLimit }.keys
        for market in unused { lastAsked[market] = nil }
        return Array(unused)
    }

    /// Returns the next request, which the caller must send on the open connection; nil if no request is due.
    mutating func next(at now: Deadline.Instant) -> (verb: PushSource.Verb, markets: [String])? {
        guard underWay == nil else { return nil }
        let limit = Deadline(in: Self.answerLimit, from: now)
        let dropped = Array(
            subscribed.filter { !contains($0) || renewed.contains($0) }.sorted().prefix(largestBatch))
        if !dropped.isEmpty {
            subscribed.subtract(dropped)
            renewed.subtract(dropped)
            underWay = ([], limit)
            return (.unsubscribe, dropped)
        }
        alone = alone.filter(contains)
        let new = lastAsked.keys.filter { !subscribed.contains($0) && pauses[$0] == nil }.sorted()
        let place = alone.firstIndex { pauses[$0] == nil }
        let batch = place.map { [alone.remove(at: $0)] } ?? Array(new.prefix(largestBatch))
        guard !batch.isEmpty else { return nil }
        subscribed.formUnion(batch)
        underWay = (batch, limit)
        return (.subscribe, batch)
    }

    /// Records that the exchange accepted the last request or, if a market is given, only that market of the request.
    mutating func accept(_ market: String? = nil) {
        guard let market else {
            underWay = nil
            return
        }
        underWay?.markets.removeAll { $0 == market }
        if underWay?.markets.isEmpty == true { underWay = nil }
    }

    /// Records that the subscription to a market has ended.
    ///
    /// - Returns: false if there was no subscription, for example because this program had unsubscribed. The exchange's
    ///   message then counts as the answer to the request under way.
    mutating func end(_ market: String, at now: Deadline.Instant) -> Bool {
        guard subscribed.remove(market) != nil else {
            accept()
            return false
        }
        pauses[market] = Deadline(in: Self.pause, from: now)
        return true
    }

    /// Records that the exchange rejected a market or, if the exchange's message does not name a market, the last
    /// request. A message that does not name a market changes nothing if an earlier request on this connection was not
    /// answered in time, because the message may belong to that request. Some exchanges answer separately for each
    /// market of a request, so other markets of the request may already have been accepted or rejected.
    ///
    /// - Returns: the rejected market; nil if it is not known which market was rejected.
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

    /// Schedules requests that unsubscribe from a market and subscribe to it again. Does nothing if there is no
    /// subscription to the market.
    mutating func renew(_ market: String) {
        if subscribed.contains(market) { renewed.insert(market) }
    }

    /// Excludes a market for a minute: the program ends its subscription to the market, if any, and ticks for the
    /// market fail.
    mutating func leaveOut(_ market: String, because reason: String, at now: Deadline.Instant) {
        lastAsked[market] = nil
        refusals[market, default: Cooldown()].start(reason, for: RetryAfter.usual, at: now)
    }

    /// Starts again without subscriptions, because a new connection was opened.
    mutating func reconnect() {
        (subscribed, renewed, alone, underWay, isAnswerMissing, pauses) = ([], [], [], nil, false, [:])
    }

    /// Whether a market's name is one of the words of a text. Words are separated by blanks and by the punctuation that
    /// exchanges put around names; other punctuation counts as part of a word.
    private static func names(_ text: String, _ market: String) -> Bool {
        text.split { " ,'\":[].@".contains($0) }.contains { $0 == market }
    }
}
