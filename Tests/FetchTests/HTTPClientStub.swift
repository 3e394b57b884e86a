import PipeCommon
import TestSupport

@testable import price_fetch

/// An HTTP client that records every request and answers it immediately, later, or never.
final class HTTPClientStub: HTTPClient {
    var answer: (HTTPRequest) -> Result<HTTPResponse, HTTPFailure>?
    /// Whether all answers are held back for now.
    var isHolding = false
    private(set) var requests: [HTTPRequest] = []
    /// The IDs of the canceled requests.
    private(set) var givenUp: [Int] = []
    private var held: [(id: Int, request: HTTPRequest)] = []

    var urls: [String] { requests.map(\.url.text) }

    /// - Parameter answer: returns the result of a request, or nil while the server is silent.
    init(answer: @escaping (HTTPRequest) -> Result<HTTPResponse, HTTPFailure>?) {
        self.answer = answer
    }

    /// - Parameter result: the result of every request; nil if the server never answers.
    convenience init(_ result: Result<HTTPResponse, HTTPFailure>?) { self.init { _ in result } }

    convenience init(status: Int = 200, _ body: String) { self.init(.answer(body, status: status)) }

    /// Sets the response to all unanswered and future requests.
    func reply(status: Int = 200, _ body: String = "", retryAfter: String? = nil, age: Duration? = nil) {
        answer = { _ in .answer(body, status: status, retryAfter: retryAfter, age: age) }
    }

    func get(_ request: HTTPRequest, id: Int, within timeout: Duration) {
        requests.append(request)
        held.append((id, request))
    }

    func giveUp(_ id: Int) {
        givenUp.append(id)
        held.removeAll { $0.id == id }
    }

    var watched: [pollfd] { [] }
    var nextDeadline: Deadline? { nil }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [HTTPResult] {
        guard !isHolding else { return [] }
        let results = held.compactMap { id, request in answer(request).map { (id: id, result: $0) } }
        held.removeAll { id, _ in results.contains { $0.id == id } }
        return results
    }
}

extension Result<HTTPResponse, HTTPFailure> {
    static func answer(
        _ body: String, status: Int = 200, retryAfter: String? = nil, age: Duration? = nil
    ) -> Self {
        .success(HTTPResponse(status: status, retryAfter: retryAfter, age: age, body: Array(body.utf8)))
    }
}

extension HTTPFeed {
    /// A feed whose clock does not advance.
    convenience init(_ source: PriceSource, _ client: any HTTPClient, at time: Timestamp = anyTime()) {
        self.init(source, client: client, now: { time }, reports: Reports())
    }
}

extension PriceSource {
    /// The request for the prices of one or more symbols.
    func request(_ symbols: Symbol...) throws -> HTTPRequest {
        try plan(for: symbols.map { symbol throws(InvalidInput) in try market(of: symbol) }).request.get()
    }

    func price(in body: String, _ symbol: Symbol = .bitcoin) throws(InvalidInput) -> Price {
        try price(JSON(parsing: Array(body.utf8)), market(of: symbol))
    }

    /// The error in an answer to a request for BTC-USD; nil if the answer contains a quote.
    func error(in response: HTTPResponse, at now: Timestamp = anyTime()) -> FetchError? {
        let market = try! market(of: .bitcoin)
        do throws(FetchError) {
            _ = try plan(for: [market]).read(response, now)(market, now)
            return nil
        } catch {
            return error
        }
    }

    func error(in body: String, status: Int = 200) -> FetchError? {
        error(in: HTTPResponse(status: status, body: Array(body.utf8)))
    }
}

extension PriceFeed {
    func ask(
        _ id: Int, _ tick: Tick, within timeout: Duration = .milliseconds(800),
        at now: Deadline.Instant = .now
    ) {
        ask(Question(id, tick, within: timeout, at: now))
    }

    /// Stops waiting for the answer to a tick.
    ///
    /// - Returns: the tick's reading, which contains a failure instead of a quote.
    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading {
        let error = giveUp(Question(id, tick, within: timeout, at: .now))
        return Reading(answering: tick, Answer(id: id, quote: .failure(error)), of: self)
    }

    /// Sends a tick and returns its reading, or nil if the tick is not answered immediately.
    func reading(
        for tick: Tick, within timeout: Duration = .milliseconds(800), at now: Deadline.Instant = .now
    ) -> Reading? {
        ask(1, tick, within: timeout, at: now)
        return advance([], at: now).first.map { Reading(answering: tick, $0, of: self) }
    }
}

extension Question {
    init(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant) {
        self.init(
            id: id, subject: tick.subject, at: tick.at ?? .now(), beat: tick.number, timeout: timeout,
            time: now)
    }
}

extension FetchError {
    func with(status: Int) -> FetchError {
        var error = self
        error.status = status
        return error
    }
}

extension Answer {
    /// The price as text; nil if the answer contains an error instead of a quote.
    var price: String? { try? quote.get().price.text }
}

enum Payload {
    static let binance = #"{"symbol":"BTCUSDT","price":"114721.34000000"}"#
}
