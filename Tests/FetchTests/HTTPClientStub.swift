import PipeCommon

@testable import price_fetch

/// An HTTP client that records every request and answers it immediately, when `isHolding` ends, or never.
final class HTTPClientStub: HTTPClient {
    var answer: (HTTPRequest) -> Result<HTTPResponse, HTTPFailure>?
    var isHolding = false
    private(set) var requests: [HTTPRequest] = []
    private(set) var givenUp: [Int] = []
    private var held: [(id: Int, request: HTTPRequest)] = []

    var urls: [String] { requests.map(\.url.text) }

    /// - Parameter answer: the result of a request; nil if the server stays silent.
    init(answer: @escaping (HTTPRequest) -> Result<HTTPResponse, HTTPFailure>?) {
        self.answer = answer
    }

    /// - Parameter result: the result of every request.
    convenience init(_ result: Result<HTTPResponse, HTTPFailure>?) {
        self.init { _ in result }
    }

    convenience init(status: Int = 200, _ body: String) {
        self.init(.success(HTTPResponse(status: status, body: Array(body.utf8))))
    }

    /// Sets the response to all further requests.
    func reply(status: Int = 200, _ body: String = "", retryAfter: String? = nil, age: Duration? = nil) {
        let response = HTTPResponse(
            status: status, retryAfter: retryAfter, age: age, body: Array(body.utf8))
        answer = { _ in .success(response) }
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
        defer { held = [] }
        return held.compactMap { id, request in answer(request).map { (id, $0) } }
    }
}

extension PriceSource {
    /// The request for the price of one symbol, or of several.
    func request(_ symbols: Symbol...) throws -> HTTPRequest {
        try plan(for: symbols.map { symbol throws(InvalidInput) in try market(of: symbol) }).request.get()
    }

    func price(in body: some Sequence<UInt8>, _ symbol: Symbol) throws(InvalidInput) -> (Price, Currency) {
        let market = try market(of: symbol)
        return (try price(JSON(parsing: Array(body)), market), market.currency)
    }

    /// The quote in the answer to a request for one symbol.
    func quote(
        of symbol: Symbol = .bitcoin, in response: HTTPResponse, at now: Timestamp
    ) throws(FetchError) -> Quote {
        let market = try! market(of: symbol)
        return try plan(for: [market]).read(response, now)(market, now)!.quote
    }
}

extension PriceFeed {
    func ask(_ id: Int, _ tick: Tick, within timeout: Duration, at now: Deadline.Instant) {
        ask(Question(id, tick, within: timeout, at: now))
    }

    /// Gives up a tick.
    ///
    /// - Returns: its reading.
    func giveUp(_ id: Int, _ tick: Tick, after timeout: Duration) -> Reading {
        let error = giveUp(Question(id, tick, within: timeout, at: .now))
        return Reading(answering: tick, Answer(id: id, quote: .failure(error)), of: self)
    }

    /// The answer to one tick, if it is known immediately.
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
    /// The digits of the price; nil without a quote.
    var price: String? { try? quote.get().price.text }
}

/// Complete payloads, as the sources document them.
enum Payload {
    static let binance = #"{"symbol":"BTCUSDT","price":"114721.34000000"}"#
    static let cryptoCompare = """
        {"RAW":{"MARKET":"CUSTOMAGG","FROMSYMBOL":"BTC","TOSYMBOL":"USD","FLAGS":0,"PRICE":103457.51,\
        "LASTUPDATE":1737685911,"LASTVOLUME":0.00018,"LASTVOLUMETO":18.62,"LASTTRADEID":"762412345",\
        "VOLUME24HOUR":11022.02,"OPEN24HOUR":103700.1,"CHANGEPCT24HOUR":-0.234},\
        "DISPLAY":{"FROMSYMBOL":"Ƀ","TOSYMBOL":"$","MARKET":"CUSTOMAGG","PRICE":"$ 103,457.5"}}
        """
    static let cryptoCompareError = """
        {"Response":"Error","Message":"You are over your rate limit please upgrade your account!",\
        "HasWarning":false,"Type":99,"RateLimit":{"calls_made":{"second":1}},"Data":{}}
        """
    static let cryptoCompareUnknown = """
        {"Response":"Error","Message":"Coinbase market does not exist for this coin pair (BTC-XYZ)",\
        "HasWarning":false,"Type":2,"RateLimit":{},"Data":{},"Cooldown":0}
        """
    /// Recorded on 2026-06-19 from api.exchange.coinbase.com (rtomlin, cryptocogs).
    static let coinbase = """
        {"ask":"63212.98","bid":"63212.97","volume":"4916.94797396","trade_id":1040406588,"price":"63212.97",\
        "size":"0.00782662","time":"2026-06-19T16:43:33.016274911Z","rfq_volume":"31.625279"}
        """
    static let kraken = """
        {"error":[],"result":{"XXBTZUSD":{"a":["92067.00000","1","1.000"],"b":["92066.90000","2","2.000"],\
        "c":["92066.90000","0.0010"],"v":["802.1","2321.4"],"o":"92500.10000"}}}
        """
    static let bitstamp = """
        {"timestamp":"1737685911","open":"92500","high":"93000","low":"91000","last":"92066","volume":"1234.5",\
        "vwap":"92100","bid":"92065","ask":"92067","side":"0","open_24":"92400","percent_change_24":"-0.36"}
        """
}
