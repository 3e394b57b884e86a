import PipeCommon

/// Requests prices and candles from one source over HTTP. Ticks share requests: those of one beat share a
/// price request, if the source supports several pairs, and those of a burst share a request for all candles
/// from the oldest on. Each tick gets its own quote, or a failure with the reason.
final class HTTPFeed: PriceFeed {
    /// The most requests under way; further ticks wait until one ends. A burst of candle requests for many
    /// symbols must not look like an attack.
    private static let mostRequests = (prices: 16, candles: 8)
    /// The most ticks that share a price request: its address then has about 1 KiB, and its answer 20 KiB.
    private static let mostShared = 50
    /// While the feed is overloaded, how long the ticks of a beat are gathered before the first request, so
    /// that the symbols take turns.
    private static let gathering = Duration.milliseconds(10)
    /// The most plans that are kept. Most streams have the same symbols in every beat.
    private static let mostPlans = 1024

    private struct Asked {
        let tick: Tick
        let pair: TradingPair
        /// When the tick was due, or when its candle begins.
        let at: Timestamp
        let timeout: Duration
        let time: Deadline.Instant
    }

    private struct Request {
        let plan: Plan
        let timeout: Duration
        /// The ticks that it answers.
        var ids: [Int]
    }

    private var source: PriceSource
    private let client: any HTTPClient
    private let now: () -> Timestamp
    private let warn: (String) -> Void
    private let notices: SourceNotices
    /// The pauses after errors: for a symbol or its candles; under nil, for the whole source.
    private var pauses: [Subject?: Cooldown<FetchError>] = [:]
    /// The symbols that share no request until a request of their own has succeeded: one unknown symbol can
    /// fail a shared request for all.
    private var alone: Set<Symbol> = []
    private var plans: [[TradingPair]: Plan] = [:]
    private var burst = CandleBurst()
    private var asked: [Int: Asked] = [:]
    private var underWay: [Int: Request] = [:]
    private var requestCount = 0
    /// The ticks that wait for a request, and the number of the request with which each subject last had its
    /// turn.
    private var waiting: [Int] = []
    private var lastTurn: [Subject: Int] = [:]
    /// Whether a tick has run out of time before its request could start.
    private var isOverloaded = false
    private var gatheringEnd: Deadline?
    /// Whether a request was given up since requests were last started.
    private var hasGivenUp = false
    private var answers: [Answer] = []

    /// - Parameter warn: called with a warning when a problem begins.
    init(
        _ source: PriceSource, client: any HTTPClient, now: @escaping () -> Timestamp = Timestamp.now,
        warn: @escaping (String) -> Void = { _ in }
    ) {
        self.source = source
        self.client = client
        self.now = now
        self.warn = warn
        notices = SourceNotices(of: source)
    }

    func ask(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant) {
        let at = tick.at ?? self.now()
        do throws(InvalidInput) {
            let pair = try source.pair(tick.pricedSymbol)
            asked[id] = Asked(tick: tick, pair: pair, at: at, timeout: timeout, time: now)
            if tick.candle == nil, at + timeout <= self.now() {
                return answer(id, .failure(FetchError(.timeout, "the tick was read after its deadline")))
            }
            if isOverloaded, waiting.isEmpty { gatheringEnd = Deadline(in: Self.gathering, from: now) }
            waiting.append(id)
        } catch {
            let error = FetchError(unsupported: error)
            record(error, of: tick.subject, at: now)
            answers.append((id, reading(tick, .failure(error))))
        }
    }

    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading {
        asked[id] = nil
        if let number = underWay.first(where: { $0.value.ids.contains(id) })?.key {
            underWay[number]!.ids.removeAll { $0 == id }
            if underWay[number]!.ids.isEmpty {
                underWay[number] = nil
                hasGivenUp = true
                client.giveUp(number)
            }
        } else if let index = waiting.firstIndex(of: id) {
            waiting.remove(at: index)
            isOverloaded = true
        }
        return reading(tick, .failure(FetchError(HTTPFailure.timeout, within: timeout)))
    }

    func end() {}

    // MARK: The poll loop

    var watched: [pollfd] { client.watched }

    var nextDeadline: Deadline? {
        let nextStart = gatheringEnd ?? (hasGivenUp ? Deadline(.now) : nil)
        return [client.nextDeadline, waiting.isEmpty ? nil : nextStart].compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [Answer] {
        defer { answers = [] }
        if underWay.values.contains(where: { $0.plan.range != nil }) { burst.goOn(at: now) }
        var results = client.advance(ready, at: now)
        while true {
            for (number, result) in results {
                guard let request = underWay.removeValue(forKey: number) else { continue }
                let answer = result.mapError { FetchError($0, within: request.timeout) }
                finish(request, number, answer, at: now)
            }
            guard startRequests(at: now) else { return answers }
            // Some requests may have ended already.
            results = client.advance([], at: now)
        }
    }

    // MARK: Requests

    /// - Returns: whether any request was started.
    private func startRequests(at now: Deadline.Instant) -> Bool {
        if let gatheringEnd, !gatheringEnd.hasPassed(at: now) { return false }
        (gatheringEnd, hasGivenUp) = (nil, false)
        waiting.removeAll { isSettled($0, at: now) }
        let before = requestCount
        while let id = nextWaiting() {
            let (plan, ids) = asked[id]!.tick.candle == nil ? prices(with: id) : candles(with: id)
            waiting.removeAll(where: ids.contains)
            start(plan, for: ids, at: now)
        }
        return requestCount > before
    }

    /// - Returns: whether a waiting tick needs no request of its own: it has been answered, or a request
    ///   under way will answer it.
    private func isSettled(_ id: Int, at now: Deadline.Instant) -> Bool {
        let asked = asked[id]!
        if let refusal = refusal(of: asked.tick.subject, at: now) {
            answer(id, .failure(refusal))
            return true
        }
        guard let candle = asked.tick.candle else { return false }
        if let refusal = source.candles?.refusal(of: candle, from: asked.at, at: self.now()) {
            answer(id, .failure(refusal))
        } else if let page = burst.answer(for: asked.pair, candle, from: asked.at, at: now) {
            answer(id, from: page)
        } else if let number = underWay.first(where: { covers($0.value.plan, asked) })?.key {
            underWay[number]!.ids.append(id)
        } else {
            return false
        }
        return true
    }

    private func covers(_ plan: Plan, _ asked: Asked) -> Bool {
        plan.range.map { $0.candle == asked.tick.candle && $0.covers(asked.at) } == true
            && plan.pairs == [asked.pair]
    }

    /// Of the waiting ticks whose request may start now, the one whose last turn was longest ago, so that
    /// none starves.
    private func nextWaiting() -> Int? {
        if waiting.isEmpty { return nil }
        let candleRequests = underWay.values.count { $0.plan.range != nil }
        let hasRoom = (
            prices: underWay.count - candleRequests < Self.mostRequests.prices,
            candles: candleRequests < Self.mostRequests.candles
        )
        return waiting.lazy.filter { self.asked[$0]!.tick.candle == nil ? hasRoom.prices : hasRoom.candles }
            .min { order(of: $0) < order(of: $1) }
    }

    private func order(of id: Int) -> (lastTurn: Int, id: Int) {
        (lastTurn[asked[id]!.tick.subject] ?? 0, id)
    }

    /// A request for the price of a tick, and of the other ticks of its beat that may share the request.
    private func prices(with id: Int) -> (Plan, ids: [Int]) {
        let first = asked[id]!
        let isShared = mayShare(first.pair.symbol)
        var ids = waiting.filter { id in
            let other = asked[id]!
            return other.tick.candle == nil && other.tick.number == first.tick.number
                && (other.pair == first.pair || isShared && mayShare(other.pair.symbol))
        }
        if ids.count > Self.mostShared {
            ids = Array(ids.sorted { order(of: $0) < order(of: $1) }.prefix(Self.mostShared))
        }
        var seen: Set<TradingPair> = []
        return (plan(for: ids.map { asked[$0]!.pair }.filter { seen.insert($0).inserted }), ids)
    }

    private func mayShare(_ symbol: Symbol) -> Bool {
        source.shared != nil && !alone.contains(symbol)
    }

    private func plan(for pairs: [TradingPair]) -> Plan {
        if let plan = plans[pairs] { return plan }
        let plan = source.plan(for: pairs)
        if plans.count >= Self.mostPlans { plans = [:] }
        plans[pairs] = plan
        return plan
    }

    /// A request for all pending candles of a tick's symbol and length, from the oldest one on.
    private func candles(with id: Int) -> (Plan, ids: [Int]) {
        let (first, source) = (asked[id]!, source.candles!)
        let same = waiting.filter { asked[$0]!.tick.subject == first.tick.subject }
        let oldest = same.map { asked[$0]!.at }.min()!
        let range = source.range(first.tick.candle!, from: oldest, at: now())
        return (
            self.source.plan(for: range, of: first.pair, from: source),
            same.filter { range.covers(asked[$0]!.at) }
        )
    }

    private func start(_ plan: Plan, for ids: [Int], at now: Deadline.Instant) {
        let asked = ids.map { self.asked[$0]! }
        let request = Request(plan: plan, timeout: asked.map(\.timeout).max()!, ids: ids)
        requestCount += 1
        // A request that starts late counts as a turn only once it has ended in time.
        for asked in asked where now - asked.time < asked.timeout / 2 {
            lastTurn[asked.tick.subject] = requestCount
        }
        switch plan.request {
        case .success(let get):
            if let notice = source.key.flatMap({ notices.record($0, for: get.url) }) { warn(notice) }
            underWay[requestCount] = request
            client.get(get, id: requestCount, within: request.timeout)
        case .failure(let error): finish(request, requestCount, .failure(error), at: now)
        }
    }

    // MARK: Answers

    /// Handles the end of a request: each of its ticks is answered, or waits for another request.
    private func finish(
        _ request: Request, _ number: Int, _ result: Result<HTTPResponse, FetchError>,
        at now: Deadline.Instant
    ) {
        let (plan, ids) = (request.plan, request.ids)
        let subjects = plan.pairs.map { Subject($0.symbol, plan.range?.candle) }
        for subject in subjects { lastTurn[subject] = number }
        do throws(FetchError) {
            let response = try result.get()
            if let parameter = plan.parameter, parameter.isUnknown(in: response) {
                waiting += ids
                return leaveOut(parameter)
            }
            let page = try plan.read(response, self.now())
            if let range = plan.range {
                burst.add(page, of: plan.pairs[0], range, asked: ids.map { asked[$0]!.at }, at: now)
            } else if plan.pairs.count == 1 {
                alone.remove(plan.pairs[0].symbol)
            }
            for id in ids { answer(id, from: page) }
        } catch {
            if plan.pairs.count > 1, error.concernsSymbol {
                alone.formUnion(plan.pairs.map(\.symbol))
                waiting += ids
                return
            }
            for subject in subjects { record(error, of: subject, at: now) }
            for id in ids { answer(id, .failure(error)) }
        }
    }

    /// Omits a parameter from now on, because the host does not know it.
    private func leaveOut(_ parameter: NewParameter) {
        guard source.parameter != nil else { return }
        source.parameter = nil
        plans = [:]
        let name = parameter.text.dropFirst()
        warn("\(source.name): the host does not know \(name): a closed market may have its last price")
    }

    /// Starts the pause that an error requires, and reports the error if it is new.
    private func record(_ error: FetchError, of subject: Subject, at now: Deadline.Instant) {
        if let retry = error.retry {
            let concerned = error.concernsSymbol ? subject : nil
            pauses[concerned, default: Cooldown()].start(error, for: retry, at: now)
        }
        if let notice = notices.record(error, of: subject) { warn(notice) }
    }

    /// Why requests for a subject are paused, and for how much longer; nil if they are not.
    private func refusal(of subject: Subject, at now: Deadline.Instant) -> FetchError? {
        let pause = pauses[nil]?.reason(at: now) ?? pauses[subject]?.reason(at: now)
        return pause.map { $0.reason.retrying(after: $0.remaining) }
    }

    /// Answers a tick with its own quote. If the answer does not have it, the pair is requested alone.
    private func answer(_ id: Int, from page: Plan.Answer) {
        let asked = asked[id]!
        do throws(FetchError) {
            if let quote = try page(asked.pair, asked.at) { return answer(id, .success(quote)) }
            alone.insert(asked.pair.symbol)
            waiting.append(id)
        } catch {
            answer(id, .failure(error))
        }
    }

    private func answer(_ id: Int, _ quote: Result<Quote, FetchError>) {
        guard let asked = asked.removeValue(forKey: id) else { return }
        answers.append((id, reading(asked.tick, quote)))
    }

    private func reading(_ tick: Tick, _ quote: Result<Quote, FetchError>) -> Reading {
        switch quote {
        case .success(let quote):
            notices.recordQuote(of: tick.subject)
            return Reading(answering: tick, quote, from: source.name)
        case .failure(let error): return Reading(answering: tick, [error.failure(of: source.name)])
        }
    }
}
