import PipeCommon

/// Requests prices and candles from one source over HTTP. Questions of one beat can share a price request if they are
/// about the same symbol, or if the source supports requests for several markets. Questions about candles of the same
/// symbol and length can share a request that begins with the oldest of these candles.
final class HTTPFeed: PriceFeed {
    /// The maximum numbers of requests under way. Further requests wait, because a burst of requests, such as candle
    /// requests for many symbols, must not look like an attack.
    private static let mostRequests = (prices: 16, candles: 8)
    /// How long questions are gathered before a request if `gathers` is true and no earlier question is waiting.
    private static let gathering = Duration.milliseconds(10)
    /// A question about a price fails early if the rate limit would leave less time than this for its answer.
    private static let leastTime = Duration.milliseconds(150)
    /// If an answer is read this long after the time limit of its request, this program was probably suspended. The
    /// answer may have arrived long ago, so its prices are not used.
    private static let suspension = Duration.seconds(1)
    /// The maximum number of plans that are kept. Plans are kept because most beats request the same symbols.
    private static let mostPlans = 1024
    /// The maximum number of pauses for single subjects, and the maximum number of symbols in `alone`.
    private static let mostKept = 10_000

    private struct Asked {
        let question: Question
        let market: Market
        var subject: Subject { question.subject }
    }

    private struct Request {
        let plan: Plan
        let timeout: Duration
        let start: Deadline.Instant
        /// The questions that the request answers, and the number of these questions that have not been given up.
        var ids: [Int]
        var open: Int
    }

    private let source: PriceSource
    private let client: any HTTPClient
    private let now: () -> Timestamp
    private let reports: Reports
    /// The pauses after errors. Each key is the subject to which the pause applies. A pause with the key nil applies to
    /// the whole source.
    private var pauses: [Subject?: Cooldown<FetchError>] = [:]
    /// The symbols that must not share a request. A symbol is added if a shared request fails, possibly because of this
    /// symbol, or if the answer to a shared request contains no usable price for it. The symbol may share requests
    /// again after a price request for it alone succeeds.
    private var alone: Set<Symbol> = []
    private var plans: [[Market]: Plan] = [:]
    private var burst = CandleBurst()
    /// Paces the requests according to the source's rate limit; nil if no limit applies.
    private var pace: RequestPace?
    private var backoff = RefusalBackoff()
    /// When to check again which requests to start: when the rate limit allows the next request or, after a request is
    /// given up, immediately. Nil if neither applies.
    private var nextStart: Deadline?
    /// The beat of the last accepted question, and the number of price questions accepted since the beat changed.
    private var beat: (number: Int?, count: Int) = (nil, 0)
    private var asked: [Int: Asked] = [:]
    private var underWay: [Int: Request] = [:]
    /// For each question that a request under way will answer, the number of that request.
    private var requestOf: [Int: Int] = [:]
    private var requestCount = 0
    /// The questions that will be examined next, some of them again. Each question is examined to find out whether it
    /// needs a new request.
    private var new: [Int] = []
    /// The examined questions that wait for the start of a request, separately for prices and candles.
    private var (prices, candles) = (Turns(), Turns())
    /// Whether the ticks of a beat are gathered for a short time, so that their symbols can share a request or take
    /// turns.
    private var gathers = false
    private var gatheringEnd: Deadline?
    private var answers: [Answer] = []

    init(
        _ source: PriceSource, client: any HTTPClient, now: @escaping () -> Timestamp = Timestamp.now,
        reports: Reports
    ) {
        (self.source, self.client, self.now, self.reports) = (source, client, now, reports)
        pace = source.limit.map { RequestPace($0) }
    }

    var name: String { source.name }

    func ask(_ question: Question) {
        do throws(InvalidInput) {
            asked[question.id] = Asked(
                question: question, market: try source.market(of: question.subject.symbol))
            if question.beat != beat.number {
                // The ticks of a beat may be read in several pieces, so the beat counts as complete only when the next
                // beat begins.
                if source.shared != nil { gathers = gathers || beat.count > 1 }
                beat = (question.beat, 0)
            }
            if question.subject.candle == nil { beat.count += 1 }
            if gathers, new.isEmpty, prices.isEmpty, candles.isEmpty {
                gatheringEnd = Deadline(in: Self.gathering, from: question.time)
            }
            new.append(question.id)
        } catch {
            answers.append(Answer(id: question.id, quote: .failure(FetchError(unsupported: error))))
        }
    }

    func giveUp(_ question: Question) -> FetchError {
        let id = question.id
        asked[id] = nil
        if let number = requestOf.removeValue(forKey: id) {
            underWay[number]?.open -= 1
            if underWay[number]?.open == 0 {
                underWay[number] = nil
                nextStart = Deadline(.now)
                client.giveUp(number)
            }
        } else {
            gathers = true
            dequeue([id], of: question.subject)
            new.removeAll { $0 == id }
        }
        return FetchError(HTTPFailure.timeout, within: question.timeout)
    }

    func end() {}

    // MARK: The poll loop

    var watched: [pollfd] { client.watched }

    var nextDeadline: Deadline? {
        let isWaiting = !new.isEmpty || !prices.isEmpty || !candles.isEmpty
        return [client.nextDeadline, isWaiting ? gatheringEnd ?? nextStart : nil].compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [Answer] {
        defer { answers = [] }
        var results = client.advance(ready, at: now)
        while true {
            for (number, result) in results {
                guard let request = underWay.removeValue(forKey: number) else { continue }
                let answer = result.mapError { FetchError($0, within: request.timeout) }
                finish(request, number, answer, at: now)
            }
            guard startRequests(at: now) else { return answers }
            // Some of the new requests may have ended already.
            results = client.advance([], at: now)
        }
    }

    // MARK: Requests

    /// - Returns: whether any request was started, even if it failed at once.
    private func startRequests(at now: Deadline.Instant) -> Bool {
        if let gatheringEnd, !gatheringEnd.hasPassed(at: now) { return false }
        gatheringEnd = nil
        dropOverdue()
        for id in new where !isSettled(id, at: now) {
            enqueue(id, of: asked[id]!.subject)
        }
        new = []
        let before = requestCount
        nextStart = nil
        let candleRequests = underWay.values.count { $0.plan.span != nil }
        var room = Self.mostRequests.prices - (underWay.count - candleRequests)
        while room > 0, let id = prices.first, mayStart(at: now) {
            let (plan, ids) = pricePlan(with: id)
            dequeue(ids)
            start(plan, for: ids, at: now)
            room -= 1
        }
        room = Self.mostRequests.candles - candleRequests
        while room > 0, let id = candles.first, mayStart(at: now) {
            let (plan, ids) = candlePlan(with: id)
            dequeue(ids)
            start(plan, for: ids, at: now)
            room -= 1
        }
        refuseLate(at: now)
        return requestCount > before
    }

    /// Whether the source's rate limit allows a request now. Sets `nextStart` if the request has to wait.
    private func mayStart(at now: Deadline.Instant) -> Bool {
        guard let start = pace?.start(at: now), start > now else { return true }
        nextStart = Deadline(start)
        return false
    }

    /// Fails questions about prices if the rate limit would delay their requests for too long. A fallback can then
    /// answer these questions. Their symbols keep their places in the order of turns.
    private func refuseLate(at now: Deadline.Instant) {
        guard let pace, !prices.isEmpty, pace.start(at: now) > now else { return }
        let shared = source.shared.flatMap { prices.ids.count < $0.fewest ? nil : $0.most } ?? 1
        var (place, seen) = (0, Set<Subject>())
        for id in prices.ids {
            let question = asked[id]!.question
            let isFirst = seen.insert(question.subject).inserted
            let start = pace.start(
                after: mayShare(question.subject.symbol) ? place / shared : place, at: now)
            if isFirst { place += 1 }
            guard start - question.time > question.timeout - Self.leastTime else { continue }
            gathers = true
            dequeue([id], of: question.subject)
            let words = "the limit is \(pace.limit.words), and the symbols take turns"
            answer(id, .failure(FetchError(.rateLimited, words)))
        }
    }

    private func enqueue(_ id: Int, of subject: Subject) {
        if subject.candle == nil { prices.add(id, of: subject) } else { candles.add(id, of: subject) }
    }

    private func dequeue(_ ids: [Int], of subject: Subject) {
        if subject.candle == nil { prices.remove(ids, of: subject) } else { candles.remove(ids, of: subject) }
    }

    private func dequeue(_ ids: [Int]) {
        for (subject, ids) in Dictionary(grouping: ids, by: { asked[$0]!.subject }) {
            dequeue(ids, of: subject)
        }
    }

    /// Fails new questions about prices if they are overdue, because their answers are probably no longer needed. A
    /// question is overdue if its tick is older than the tick of another of these questions, and the difference is at
    /// least the time limit of the older question. The times in the ticks are compared only with each other, because
    /// price-clock may run on another machine, whose clock may differ.
    private func dropOverdue() {
        let questions = new.map { asked[$0]!.question }.filter { $0.subject.candle == nil }
        guard let newest = questions.map(\.at).max() else { return }
        for question in questions where question.at + question.timeout <= newest {
            new.removeAll { $0 == question.id }
            answer(question.id, .failure(FetchError(.timeout, "the tick was overdue when it was read")))
        }
    }

    /// - Returns: whether a question needs no new request, because it has been answered or a request under way will
    ///   answer it.
    private func isSettled(_ id: Int, at now: Deadline.Instant) -> Bool {
        let asked = asked[id]!
        if let refusal = refusal(of: asked.subject, at: now) {
            answer(id, .failure(refusal))
            return true
        }
        guard let candle = asked.subject.candle else { return false }
        let beginning = asked.question.at
        if let refusal = source.candles?.refusal(of: candle, from: beginning, at: self.now()) {
            answer(id, .failure(refusal))
        } else if let page = burst.answer(for: asked.market, candle, from: beginning, at: now) {
            answer(id, from: page)
        } else if let number = underWay.first(where: { covers($0.value.plan, asked) })?.key {
            underWay[number]!.ids.append(id)
            underWay[number]!.open += 1
            requestOf[id] = number
        } else {
            return false
        }
        return true
    }

    private func covers(_ plan: Plan, _ asked: Asked) -> Bool {
        plan.span.map { $0.candle == asked.subject.candle && $0.covers(asked.question.at) } == true
            && plan.markets == [asked.market]
    }

    /// A request for the price that the given question needs, and the IDs of all questions that the request will
    /// answer. If possible and worthwhile, other questions of the same beat share the request.
    private func pricePlan(with id: Int) -> (Plan, ids: [Int]) {
        let first = asked[id]!
        var ids = prices.ids(of: first.subject).filter { asked[$0]!.question.beat == first.question.beat }
        var markets = [first.market]
        guard let shared = source.shared, mayShare(first.subject.symbol) else {
            return (plan(for: markets), ids)
        }
        let alone = ids
        for id in prices.ids where markets.count < shared.most {
            let other = asked[id]!
            guard other.question.beat == first.question.beat, mayShare(other.subject.symbol),
                other.market != first.market
            else { continue }
            ids.append(id)
            if !markets.contains(other.market) { markets.append(other.market) }
        }
        return markets.count < shared.fewest ? (plan(for: [first.market]), alone) : (plan(for: markets), ids)
    }

    private func mayShare(_ symbol: Symbol) -> Bool {
        source.shared != nil && !alone.contains(symbol)
    }

    private func plan(for markets: [Market]) -> Plan {
        if let plan = plans[markets] { return plan }
        let plan = source.plan(for: markets)
        if plans.count >= Self.mostPlans { plans = [:] }
        plans[markets] = plan
        return plan
    }

    /// A request for candles of the given question's symbol and candle length, and the IDs of the questions that the
    /// request will answer. The requested candles begin with the oldest candle of this symbol and length that a waiting
    /// question is about.
    private func candlePlan(with id: Int) -> (Plan, ids: [Int]) {
        let (first, source) = (asked[id]!, source.candles!)
        let same = candles.ids(of: first.subject)
        let oldest = same.map { asked[$0]!.question.at }.min()!
        let span = source.span(first.subject.candle!, from: oldest, at: now())
        return (
            self.source.plan(for: span, of: first.market, from: source),
            same.filter { span.covers(asked[$0]!.question.at) }
        )
    }

    private func start(_ plan: Plan, for ids: [Int], at now: Deadline.Instant) {
        let questions = ids.map { self.asked[$0]!.question }
        let request = Request(
            plan: plan, timeout: questions.map(\.timeout).max()!, start: now, ids: ids, open: ids.count)
        requestCount += 1
        // A request that starts in the second half of a question's time limit may soon be given up without a result. It
        // therefore counts as a turn for the question's subject only when its result arrives.
        for question in questions where now - question.time < question.timeout / 2 {
            take(requestCount, for: question.subject)
        }
        switch plan.request {
        case .success(let get):
            if let warning = source.key?.warning(for: get.url) {
                reports.report(.key, of: nil, "\(name): \(warning)", at: now)
            }
            underWay[requestCount] = request
            pace?.take(plan.markets.count > 1 ? source.shared!.weight : 1, at: now)
            for id in ids { requestOf[id] = requestCount }
            client.get(get, id: requestCount, within: request.timeout)
        case .failure(let error): finish(request, requestCount, .failure(error), at: now)
        }
    }

    private func take(_ number: Int, for subject: Subject) {
        if subject.candle == nil {
            prices.take(number, for: subject)
        } else {
            candles.take(number, for: subject)
        }
    }

    // MARK: Answers

    /// Handles the end of a request: each of its questions that has not been given up is answered or waits for another
    /// request.
    private func finish(
        _ request: Request, _ number: Int, _ result: Result<HTTPResponse, FetchError>,
        at now: Deadline.Instant
    ) {
        let (plan, ids) = (request.plan, request.ids.filter { asked[$0] != nil })
        for id in ids { requestOf[id] = nil }
        let subjects = plan.markets.map { Subject($0.pair.symbol, plan.span?.candle) }
        for subject in subjects { take(number, for: subject) }
        do throws(FetchError) {
            let page = try plan.read(result.get(), self.now())
            if now - request.start >= request.timeout + Self.suspension {
                throw FetchError(HTTPFailure.timeout, within: request.timeout)
            }
            backoff.answered()
            if let span = plan.span {
                burst.add(page, of: plan.markets[0], span, at: now)
            } else if plan.markets.count == 1 {
                alone.remove(plan.markets[0].pair.symbol)
            }
            for id in ids { answer(id, from: page) }
        } catch {
            var error = error
            if error.isRefusalWithoutTime {
                // If another error has already paused the source, that pause is not extended.
                error = error.retrying(
                    after: refusal(of: nil, at: now)?.retry ?? pace?.limit.pause ?? backoff.refused())
            }
            if plan.markets.count > 1, error.concernsSymbol {
                for market in plan.markets { keepAlone(market.pair.symbol) }
                guard error.kind == .denied else {
                    new += ids
                    return
                }
                // If each symbol were now requested separately, the source might deny all these requests as well.
                // Therefore, the whole source is paused first.
                error.concernsSource = true
            }
            for subject in subjects { pause(after: error, of: subject, at: now) }
            for id in ids { answer(id, .failure(error)) }
        }
        // If the source is paused now, all waiting questions are examined again. Otherwise, only the waiting questions
        // about the request's subjects are examined again: a subject may be paused now, or the answer may contain the
        // candles that these questions ask for.
        let waiting =
            refusal(of: nil, at: now) == nil
            ? subjects.flatMap { prices.ids(of: $0) + candles.ids(of: $0) } : prices.ids + candles.ids
        dequeue(waiting)
        new += waiting
    }

    /// Starts the pause that an error requires, if any. The pause applies to `subject` if the error may concern only
    /// one symbol; otherwise, it applies to the whole source. With `mostKept` pauses, none is added for a subject.
    private func pause(after error: FetchError, of subject: Subject, at now: Deadline.Instant) {
        guard let retry = error.retry else { return }
        if pauses.count >= Self.mostKept { pauses = pauses.filter { $0.value.reason(at: now) != nil } }
        guard pauses.count < Self.mostKept || !error.concernsSymbol else { return }
        let concerned = error.concernsSymbol ? subject : nil
        pauses[concerned, default: Cooldown()].start(error, for: retry, at: now)
    }

    /// Why requests for a subject are paused, and for how much longer; nil if they are not paused.
    ///
    /// - Parameter subject: nil for the whole source.
    private func refusal(of subject: Subject?, at now: Deadline.Instant) -> FetchError? {
        let pause = pauses[nil]?.reason(at: now) ?? pauses[subject]?.reason(at: now)
        return pause.map { $0.reason.retrying(after: $0.remaining) }
    }

    /// Answers a question from a response. If a response about several markets contains no usable price for the
    /// question's market, the question waits for a separate request.
    private func answer(_ id: Int, from page: Plan.Answer) {
        guard let question = asked[id] else { return }
        do throws(FetchError) {
            if let (quote, isClosed) = try page(question.market, question.question.at) {
                asked[id] = nil
                answers.append(Answer(id: id, quote: .success(quote), isClosed: isClosed))
            } else {
                keepAlone(question.subject.symbol)
                new.append(id)
            }
        } catch {
            answer(id, .failure(error))
        }
    }

    private func answer(_ id: Int, _ quote: Result<Quote, FetchError>) {
        if asked.removeValue(forKey: id) != nil { answers.append(Answer(id: id, quote: quote)) }
    }

    private func keepAlone(_ symbol: Symbol) {
        if alone.count >= Self.mostKept { alone = [] }
        alone.insert(symbol)
    }
}
