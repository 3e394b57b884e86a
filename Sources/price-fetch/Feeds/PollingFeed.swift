import PipeCommon

/// Asks one source over HTTP, and answers each tick with a reading: the quote, or the failure that says why there is
/// none. Ticks of one beat that are read together share a request, if the source can be asked for several symbols;
/// otherwise each tick has its own.
final class PollingFeed: PriceFeed {
    /// How many requests are under way at most; further ticks wait for one of them to end.
    private static let mostRequests = 16
    /// How many ticks share a request at most: its address has about 1 KiB then, and its answer 20 KiB.
    private static let mostShared = 50
    /// When there are more ticks than that in a beat, how long the ticks of a beat are gathered before the first
    /// request, so that the symbols take turns.
    private static let gathering = Duration.milliseconds(10)

    private struct Asked {
        let tick: Tick
        let timeout: Duration
        let time: Deadline.Instant
        var symbol: Symbol { tick.pricedSymbol }
    }

    private struct Request {
        let symbols: [Symbol]
        /// The parameter that it has.
        let parameter: NewParameter?
        /// The ticks that it answers.
        var ids: [Int]
    }

    private var source: PriceSource
    private let client: any HTTPClient
    private let now: () -> Timestamp
    private let warn: (String) -> Void
    private let refusals: Refusals
    private let notices: SourceNotices
    private var sharing = Sharing()
    private var asked: [Int: Asked] = [:]
    /// By the id of the first of its ticks.
    private var underWay: [Int: Request] = [:]
    /// Ticks that wait for their request, and when each symbol last had its turn.
    private var waiting: [Int] = []
    private var lastTurn: [Symbol: Int] = [:]
    private var turnCount = 0
    /// Most streams are of the same symbols in each beat.
    private var lastHTTPRequest: ([Symbol], HTTPRequest)?
    /// Whether a tick has run out of time before its request could start.
    private var isOverloaded = false
    private var gatheringEnd: Deadline?
    private var answers: [Answer] = []

    /// - Parameter warn: reports that the source gives no quotes, when that begins.
    init(
        _ source: PriceSource, client: any HTTPClient, refusals: Refusals = Refusals(),
        notices: SourceNotices? = nil, now: @escaping () -> Timestamp = Timestamp.now,
        warn: @escaping (String) -> Void = { _ in }
    ) {
        self.source = source
        self.client = client
        self.now = now
        self.warn = warn
        self.refusals = refusals
        self.notices = notices ?? SourceNotices(of: source)
    }

    func ask(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant) {
        asked[id] = Asked(tick: tick, timeout: timeout, time: now)
        if let at = tick.at, at + timeout <= self.now() {
            answer(id, .failure(FetchError(.timeout, "the tick was read after its deadline")))
        } else {
            if isOverloaded, waiting.isEmpty { gatheringEnd = Deadline(in: Self.gathering, from: now) }
            waiting.append(id)
        }
    }

    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading {
        asked[id] = nil
        if let first = underWay.first(where: { $0.value.ids.contains(id) })?.key {
            underWay[first]!.ids.removeAll { $0 == id }
            if underWay[first]!.ids.isEmpty {
                underWay[first] = nil
                client.giveUp(first)
            }
        }
        if let index = waiting.firstIndex(of: id) {
            waiting.remove(at: index)
            isOverloaded = true
        }
        return reading(tick, .failure(FetchError(HTTPFailure.timeout, within: timeout)))
    }

    func end() {}

    // MARK: The poll loop

    var watched: [pollfd] { client.watched }

    /// A tick that waits is asked as soon as one before it was answered or given up.
    var nextDeadline: Deadline? {
        let nextStart = hasRoom && !waiting.isEmpty ? gatheringEnd ?? Deadline(.now) : nil
        return [client.nextDeadline, nextStart].compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [Answer] {
        defer { answers = [] }
        client.advance(ready, at: now)
        takeResults(at: now)
        startRequests(at: now)
        return answers
    }

    // MARK: Requests

    /// Asks first for the symbols whose last turn was longest ago, so that none starves.
    private func startRequests(at now: Deadline.Instant) {
        if let gatheringEnd, !gatheringEnd.hasPassed(at: now) { return }
        gatheringEnd = nil
        while hasRoom, let id = nextWaiting() {
            let ids = [id] + companions(of: id, at: now)
            waiting.removeAll(where: ids.contains)
            request(ids, at: now)
        }
        takeResults(at: now)
    }

    private var hasRoom: Bool { underWay.count < Self.mostRequests }

    private func nextWaiting() -> Int? {
        waiting.min { order(of: $0) < order(of: $1) }
    }

    private func order(of id: Int) -> (lastTurn: Int, id: Int) {
        (lastTurn[asked[id]!.symbol] ?? 0, id)
    }

    /// The ticks of the same beat that wait, and can share the request of a tick.
    private func companions(of id: Int, at now: Deadline.Instant) -> [Int] {
        guard mayShare(id, at: now) else { return [] }
        let beat = asked[id]!.tick.number
        let others = waiting.filter { $0 != id && asked[$0]!.tick.number == beat && mayShare($0, at: now) }
        guard others.count >= Self.mostShared else { return others }
        return Array(others.sorted { order(of: $0) < order(of: $1) }.prefix(Self.mostShared - 1))
    }

    private func mayShare(_ id: Int, at now: Deadline.Instant) -> Bool {
        guard source.shared != nil, asked[id]!.tick.candle == nil else { return false }
        let symbol = asked[id]!.symbol
        return sharing.allows(symbol, at: now) && refusals.refusal(of: symbol, at: now) == nil
            && (try? source.pair(symbol)) != nil
    }

    private func recordTurn(of symbol: Symbol) {
        turnCount += 1
        lastTurn[symbol] = turnCount
    }

    /// - Parameter ids: of ticks that share the request, or of one.
    private func request(_ ids: [Int], at now: Deadline.Instant) {
        let asked = ids.map { self.asked[$0]! }
        if let refusal = refusals.refusal(of: asked[0].symbol, at: now) {
            return answer(ids[0], .failure(refusal))
        }
        var seen: Set<Symbol> = []
        let symbols = asked.map(\.symbol).filter { seen.insert($0).inserted }
        // A request that starts late has had its turn only if it is answered all the same.
        for asked in asked where now - asked.time < asked.timeout / 2 { recordTurn(of: asked.symbol) }
        underWay[ids[0]] = Request(symbols: symbols, parameter: source.parameter, ids: ids)
        do throws(FetchError) {
            client.get(try request(symbols), id: ids[0], within: asked.map(\.timeout).max()!)
        } catch {
            finish(ids[0], .failure(error), at: now)
        }
    }

    private func request(_ symbols: [Symbol]) throws(FetchError) -> HTTPRequest {
        if let (lastSymbols, request) = lastHTTPRequest, lastSymbols == symbols { return request }
        var request: HTTPRequest
        do throws(InvalidInput) { request = try source.request(for: symbols) } catch {
            throw FetchError(unsupported: error)
        }
        if let key = source.key {
            if let notice = notices.record(key, for: request.url) { warn(notice) }
            request.headers = try key.headers(for: request.url)
        }
        lastHTTPRequest = (symbols, request)
        return request
    }

    // MARK: Answers

    private func takeResults(at now: Deadline.Instant) {
        for (id, result) in client.takeResults() {
            guard let request = underWay[id] else { continue }
            for symbol in request.symbols { recordTurn(of: symbol) }
            let timeout = request.ids.map { asked[$0]!.timeout }.max()!
            finish(id, result.mapError { FetchError($0, within: timeout) }, at: now)
        }
    }

    /// A request has ended: each of its ticks is answered, or is to be asked alone.
    private func finish(_ id: Int, _ answer: Result<HTTPResponse, FetchError>, at now: Deadline.Instant) {
        guard let request = underWay.removeValue(forKey: id) else { return }
        if let parameter = request.parameter, let response = try? answer.get(),
            parameter.isUnknown(in: response)
        {
            waiting += request.ids
            return leaveOut(parameter)
        }
        let quotes = answer.flatMap { response in
            Result { () throws(FetchError) in
                try source.quotes(of: request.symbols, in: response, at: self.now())
            }
        }
        let isShared = request.symbols.count > 1
        switch quotes {
        case .success(let quotes):
            if isShared, !quotes.isEmpty { sharing.recordQuotesTogether() }
            for symbol in request.symbols {
                if !isShared { sharing.recordQuote(ofAlone: symbol, at: now) }
                if quotes[symbol] == nil { sharing.recordAbsence(of: symbol, at: now) }
            }
            for id in request.ids {
                let quote = quotes[asked[id]!.symbol]
                if let quote { self.answer(id, .success(quote)) } else { waiting.append(id) }
            }
        case .failure(let error) where isShared && error.concernsSymbol:
            sharing.recordFailure(ofTogether: request.symbols, at: now)
            waiting += request.ids
        case .failure(let error):
            for symbol in request.symbols { refusals.record(error, of: symbol, at: now) }
            if error.concernsSymbol { sharing.recordFailure(ofAlone: request.symbols[0], at: now) }
            for id in request.ids { self.answer(id, .failure(error)) }
        }
    }

    /// From now on the host is asked without a parameter that it does not know.
    private func leaveOut(_ parameter: NewParameter) {
        guard source.parameter != nil else { return }
        source.parameter = nil
        lastHTTPRequest = nil
        let name = parameter.text.dropFirst()
        warn("\(source.name): the host does not know \(name): a closed market may have its last price")
    }

    private func answer(_ id: Int, _ quote: Result<Quote, FetchError>) {
        guard let asked = asked.removeValue(forKey: id) else { return }
        answers.append((id, reading(asked.tick, quote)))
    }

    private func reading(_ tick: Tick, _ quote: Result<Quote, FetchError>) -> Reading {
        switch quote {
        case .success(let quote):
            notices.recordQuote(of: tick.pricedSymbol)
            return Reading(answering: tick, quote, from: source.name)
        case .failure(let error):
            if let notice = notices.record(error, of: tick.pricedSymbol) { warn(notice) }
            return Reading(answering: tick, [error.failure(of: source.name)])
        }
    }
}
