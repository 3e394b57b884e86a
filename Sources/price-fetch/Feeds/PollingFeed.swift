import PipeCommon

/// Asks one source over HTTP: a request for each tick, and a reading with the quote, or with the failure that says
/// why there is none.
final class PollingFeed: PriceFeed {
    /// How many requests are under way at most; further ticks wait for one of them to end.
    private static let mostRequests = 16
    /// When there are more ticks than that in a beat, how long the ticks of a beat are gathered before the first
    /// request, so that the symbols take turns.
    private static let gathering = Duration.milliseconds(10)

    private struct Asked {
        let tick: Tick
        let timeout: Duration
        let time: Deadline.Instant
    }

    private let source: PriceSource
    private let client: any HTTPClient
    private let now: () -> Timestamp
    private let warn: (String) -> Void
    private var refusals = Refusals()
    private var notices: SourceNotices
    private var asked: [Int: Asked] = [:]
    /// Ticks that wait for their request, and when each symbol last had its turn.
    private var waiting: [Int] = []
    private var lastTurn: [Symbol: Int] = [:]
    private var turnCount = 0
    /// Most streams are of one symbol.
    private var lastHTTPRequest: (Symbol, HTTPRequest)?
    /// Whether a tick has run out of time before its request could start.
    private var isOverloaded = false
    private var gatheringEnd: Deadline?
    private var answers: [Answer] = []

    /// - Parameter warn: reports that the source gives no quotes, when that begins.
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
        asked[id] = Asked(tick: tick, timeout: timeout, time: now)
        if let at = tick.at, at + timeout <= self.now() {
            answer(id, .failure(FetchError(.timeout, "the tick was read after its time was up")))
        } else {
            if isOverloaded, waiting.isEmpty { gatheringEnd = Deadline(in: Self.gathering, from: now) }
            waiting.append(id)
        }
    }

    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading {
        client.giveUp(id)
        asked[id] = nil
        if let index = waiting.firstIndex(of: id) {
            waiting.remove(at: index)
            isOverloaded = true
        }
        return reading(tick, .failure(FetchError(HTTPFailure.timeout, within: timeout)))
    }

    func takeAnswers() -> [Answer] {
        defer { answers = [] }
        return answers
    }

    func end() {}

    // MARK: The poll loop

    var watched: [pollfd] { client.watched }

    /// A tick that waits is asked as soon as one before it was answered or given up.
    var nextDeadline: Deadline? {
        let nextStart = hasRoom && !waiting.isEmpty ? gatheringEnd ?? Deadline(.now) : nil
        return [client.nextDeadline, nextStart].compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) {
        client.advance(ready, at: now)
        takeResults(at: now)
        startRequests(at: now)
    }

    // MARK: Requests

    /// Asks first for the symbols whose last turn was longest ago, so that none starves.
    private func startRequests(at now: Deadline.Instant) {
        if let gatheringEnd, !gatheringEnd.hasPassed(at: now) { return }
        gatheringEnd = nil
        while hasRoom, let id = nextWaiting() {
            waiting.removeAll { $0 == id }
            request(id, asked[id]!, at: now)
        }
        takeResults(at: now)
    }

    private var hasRoom: Bool { asked.count - waiting.count < Self.mostRequests }

    private func nextWaiting() -> Int? {
        waiting.min { order(of: $0) < order(of: $1) }
    }

    private func order(of id: Int) -> (lastTurn: Int, id: Int) {
        (lastTurn[asked[id]!.tick.pricedSymbol] ?? 0, id)
    }

    private func recordTurn(of symbol: Symbol) {
        turnCount += 1
        lastTurn[symbol] = turnCount
    }

    private func request(_ id: Int, _ asked: Asked, at now: Deadline.Instant) {
        let symbol = asked.tick.pricedSymbol
        if let refusal = refusals.refusal(of: symbol, at: now) { return answer(id, .failure(refusal)) }
        do throws(FetchError) {
            // A request that starts late has had its turn only if it is answered all the same.
            if now - asked.time < asked.timeout / 2 { recordTurn(of: symbol) }
            client.get(try request(symbol), id: id, within: asked.timeout)
        } catch {
            refusals.record(error, of: symbol, at: now)
            answer(id, .failure(error))
        }
    }

    private func request(_ symbol: Symbol) throws(FetchError) -> HTTPRequest {
        if let (lastSymbol, request) = lastHTTPRequest, lastSymbol == symbol { return request }
        var request: HTTPRequest
        do throws(InvalidInput) { request = try source.request(symbol) } catch {
            throw FetchError(unsupported: error)
        }
        if let key = source.key {
            if let notice = notices.record(key, for: request.url) { warn(notice) }
            request.headers = try key.headers(for: request.url)
        }
        lastHTTPRequest = (symbol, request)
        return request
    }

    // MARK: Answers

    private func takeResults(at now: Deadline.Instant) {
        for (id, result) in client.takeResults() {
            guard let asked = asked[id] else { continue }
            let symbol = asked.tick.pricedSymbol
            recordTurn(of: symbol)
            let quote = quote(symbol, in: result, within: asked.timeout)
            if case .failure(let error) = quote { refusals.record(error, of: symbol, at: now) }
            answer(id, quote)
        }
    }

    private func answer(_ id: Int, _ quote: Result<Quote, FetchError>) {
        guard let asked = asked.removeValue(forKey: id) else { return }
        answers.append((id, reading(asked.tick, quote)))
    }

    private func quote(
        _ symbol: Symbol, in result: Result<HTTPResponse, HTTPFailure>, within timeout: Duration
    ) -> Result<Quote, FetchError> {
        result.mapError { FetchError($0, within: timeout) }.flatMap { response in
            Result { () throws(FetchError) in try source.quote(of: symbol, in: response, at: now()) }
        }
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
