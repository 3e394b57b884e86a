import PipeCommon

/// Asks an exchange for candles. The ticks of a burst share a request for all candles from the oldest one on, and each
/// gets its own candle.
final class CandleFeed: PriceFeed {
    /// How many requests are under way at most: a burst for many symbols must not look like an attack.
    private static let mostRequests = 8

    private struct Asked {
        let tick: Tick
        let candle: Candle
        let beginning: Timestamp
        let timeout: Duration
        var symbol: Symbol { tick.pricedSymbol }
    }

    private struct Request {
        let symbol: Symbol
        let range: CandleRange
        let timeout: Duration
        /// The ticks that it answers.
        var ids: [Int]
    }

    private let source: PriceSource
    private let candles: CandleSource
    private let client: any HTTPClient
    private let refusals: Refusals
    private let notices: SourceNotices
    private let now: () -> Timestamp
    private let warn: (String) -> Void
    private var asked: [Int: Asked] = [:]
    /// Ticks that wait for a request.
    private var waiting: [Int] = []
    private var requests: [Int: Request] = [:]
    private var nextRequest = 0
    private var recent = RecentPages()
    private var answers: [Answer] = []

    /// - Parameters:
    ///   - refusals: the pauses that the source has asked for, shared with the feed of its prices.
    ///   - warn: reports that the source gives no candles, when that begins.
    init(
        _ source: PriceSource, _ candles: CandleSource, client: any HTTPClient,
        refusals: Refusals = Refusals(),
        notices: SourceNotices, now: @escaping () -> Timestamp = Timestamp.now,
        warn: @escaping (String) -> Void = { _ in }
    ) {
        self.source = source
        self.candles = candles
        self.client = client
        self.refusals = refusals
        self.notices = notices
        self.now = now
        self.warn = warn
    }

    func ask(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant) {
        guard let candle = tick.candle else { return }
        asked[id] = Asked(tick: tick, candle: candle, beginning: tick.at ?? self.now(), timeout: timeout)
        waiting.append(id)
    }

    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading {
        asked[id] = nil
        waiting.removeAll { $0 == id }
        for (number, request) in requests where request.ids.contains(id) {
            requests[number]?.ids.removeAll { $0 == id }
            guard request.ids == [id] else { continue }
            requests[number] = nil
            client.giveUp(number)
        }
        return reading(tick, FetchError(HTTPFailure.timeout, within: timeout))
    }

    func end() {}

    // MARK: The poll loop

    var watched: [pollfd] { client.watched }

    /// A tick that waits is asked as soon as a request before it has ended.
    var nextDeadline: Deadline? {
        let nextStart = hasRoom && !waiting.isEmpty ? Deadline(.now) : nil
        return [client.nextDeadline, nextStart].compactMap(\.self).min()
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [Answer] {
        defer { answers = [] }
        // Other ticks of the burst may have to wait until those of a slow answer leave room for them.
        if !requests.isEmpty { recent.prolong(at: now) }
        client.advance(ready, at: now)
        takeResults(at: now)
        waiting = waiting.filter { !isSettled($0, at: now) }
        while hasRoom, let first = waiting.first { startRequest(like: asked[first]!, at: now) }
        takeResults(at: now)
        return answers
    }

    private var hasRoom: Bool { requests.count < Self.mostRequests }

    // MARK: Requests

    /// - Returns: whether a tick needs no request of its own: it is answered, or a request under way will answer it.
    private func isSettled(_ id: Int, at now: Deadline.Instant) -> Bool {
        let tick = asked[id]!
        if let refusal = candles.refusal(of: tick.candle, from: tick.beginning, at: self.now())
            ?? refusals.refusal(of: tick.symbol, tick.candle, at: now)
        {
            answer(id, .failure(refusal))
        } else if let page = recent.page(for: tick.symbol, tick.candle, from: tick.beginning, at: now) {
            answer(id, .success(page))
        } else if let (number, _) = requests.first(where: { covers($0.value, tick) }) {
            requests[number]!.ids.append(id)
        } else {
            return false
        }
        return true
    }

    private func covers(_ request: Request, _ tick: Asked) -> Bool {
        request.symbol == tick.symbol && request.range.candle == tick.candle
            && request.range.covers(tick.beginning)
    }

    /// Asks for the candles of one length of a symbol that are waited for, from the oldest one on.
    private func startRequest(like first: Asked, at now: Deadline.Instant) {
        let same = waiting.filter { asked[$0]!.tick.subject == first.tick.subject }
        let oldest = same.map { asked[$0]!.beginning }.min()!
        let range = candles.range(first.candle, from: oldest, at: self.now())
        let ids = same.filter { range.covers(asked[$0]!.beginning) }
        waiting.removeAll(where: ids.contains)
        let timeout = ids.map { asked[$0]!.timeout }.max()!
        requests[nextRequest] = Request(symbol: first.symbol, range: range, timeout: timeout, ids: ids)
        do throws(InvalidInput) {
            client.get(
                try candles.request(range, of: source.pair(first.symbol)), id: nextRequest, within: timeout)
        } catch {
            finish(nextRequest, .failure(FetchError(unsupported: error)), at: now)
        }
        nextRequest += 1
    }

    // MARK: Answers

    private func takeResults(at now: Deadline.Instant) {
        for (number, result) in client.takeResults() {
            guard let request = requests[number] else { continue }
            let page = result.mapError { FetchError($0, within: request.timeout) }.flatMap { response in
                Result { () throws(FetchError) in
                    try source.candlePage(
                        request.range.candle, of: request.symbol, from: candles, in: response, at: self.now())
                }
            }
            finish(number, page, at: now)
        }
    }

    private func finish(_ number: Int, _ page: Result<CandlePage, FetchError>, at now: Deadline.Instant) {
        guard let request = requests.removeValue(forKey: number) else { return }
        let (symbol, candle) = (request.symbol, request.range.candle)
        switch page {
        case .success(let page):
            notices.recordQuote(of: symbol, candle)
            let beginnings = request.ids.map { asked[$0]!.beginning }
            recent.add(page, of: symbol, request.range, asked: beginnings, at: now)
        case .failure(let error):
            refusals.record(error, of: symbol, candle, at: now)
            if let notice = notices.record(error, of: symbol, candle) { warn(notice) }
        }
        for id in request.ids { answer(id, page) }
    }

    private func answer(_ id: Int, _ page: Result<CandlePage, FetchError>) {
        guard let asked = asked.removeValue(forKey: id) else { return }
        do throws(FetchError) {
            let quote = try source.quote(of: asked.symbol, from: asked.beginning, in: page.get())
            answers.append((id, Reading(answering: asked.tick, quote, from: source.name)))
        } catch {
            answers.append((id, reading(asked.tick, error)))
        }
    }

    private func reading(_ tick: Tick, _ error: FetchError) -> Reading {
        Reading(answering: tick, [error.failure(of: source.name)])
    }
}
