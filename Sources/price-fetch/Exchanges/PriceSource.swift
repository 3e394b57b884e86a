import PipeCommon

/// A source of prices on the web: where to ask, and how to read the answer, which must be of the pair that was asked for.
struct PriceSource: Sendable {
    let name: String
    /// Whether it prices pairs only, as exchanges do, and not whatever a user calls a symbol.
    var pricesPairsOnly = true
    /// If its names of markets have no separator, the currencies that can end one.
    var quotes: Set<String>?
    /// The source's own name of a pair; nil if it has none.
    var market: (@Sendable (TradingPair) -> String)?
    /// How several pairs are asked for in one request; nil if each needs its own.
    var shared: SharedTicker?
    /// Nil if it has none.
    var candles: CandleSource?
    /// Nil if it has none.
    var push: PushSource?
    /// A parameter that is added to each request for prices, as long as the host knows it.
    var parameter: NewParameter?
    /// Where a payload has the time of its price; nil if it has none.
    var time: TimeField?
    /// How old that may be.
    var oldest = PriceAge.usual
    /// The user's key for it, if it takes one.
    var key: APIKey?
    /// What a user can do about an HTTP status that refuses us.
    var advice: [Int: String] = [:]
    /// Where an answer says why it refuses, if not in one of the usual places.
    var reason: JSONPointer?
    /// The largest answer that is read, in bytes.
    var largestBody = HTTPRequest.usualBody
    /// What stands before the paths instead of the host.
    private(set) var base: WebAddress?
    /// The address of the price of a pair.
    var url: @Sendable (TradingPair) -> String
    /// What a payload says of a refusal, whatever its status; nil if that status alone decides. An exchange does not have
    /// a pair for which it answers 404, unless it says otherwise.
    var refusal: @Sendable (_ status: Int, JSON) -> Failure.Kind? = { status, _ in
        status == 404 ? .unsupported : nil
    }
    /// The price in an answer with status 200, or why there is none.
    let price: @Sendable (JSON, TradingPair) throws(InvalidInput) -> Price

    /// The sources that have a name, in the order in which `--list` prints them.
    static let all = [
        binance,
        cryptoCompare,
        coinbase,
        kraken,
        bitstamp,
        gemini,
        okx,
        bybit,
    ]

    /// Any address that answers with JSON, and the place of the price in it. The price of a symbol without a currency
    /// is in US dollars.
    static func custom(name: String, url: WebAddress, price pointer: JSONPointer) -> PriceSource {
        PriceSource(
            name: name, pricesPairsOnly: false, url: { _ in url.text }, refusal: { _, _ in nil },
            price: { answer, _ throws(InvalidInput) in try answer.price(pointer, as: .either) })
    }

    /// The same source at another address, which has the price of one pair.
    func asked(at url: WebAddress) -> PriceSource {
        var source = self
        (source.shared, source.candles, source.parameter) = (nil, nil, nil)
        source.url = { _ in url.text }
        return source
    }

    /// The same source at another host, with its own paths.
    func asked(below base: WebAddress) -> PriceSource {
        var source = self
        source.base = base
        return source
    }

    /// - Returns: nil for what is not the beginning of an address, such as a URL with a query.
    @Sendable static func base(_ text: String) -> WebAddress? {
        let end = text.lastIndex { $0 != "/" }
        return text.contains { "?#".contains($0) } ? nil : end.flatMap { WebAddress(String(text[...$0])) }
    }

    /// The pair that a symbol is there, or why the source does not have it.
    func pair(_ symbol: Symbol) throws(InvalidInput) -> TradingPair {
        if !pricesPairsOnly {
            return TradingPair(symbol: symbol, base: symbol.text, currency: symbol.currency)
        }
        let pair = try TradingPair(symbol)
        if quotes?.contains(pair.currency.code) == false {
            throw InvalidInput("\(pair.currency.code) is not a currency that its markets are known to have")
        }
        return pair
    }

    /// A request to the host that the user has chosen, with the user's key.
    func request(_ text: String, _ largestBody: Int) throws(FetchError) -> HTTPRequest {
        let path = { text.split(separator: "/", maxSplits: 2).last ?? "" }
        guard let url = WebAddress(base.map { "\($0.text)/\(path())" } ?? text) else {
            throw FetchError(unsupported: InvalidInput("has no address"))
        }
        return HTTPRequest(url: url, headers: try key?.headers(for: url) ?? [:], largestBody: largestBody)
    }

    /// A quote of this source.
    func quote(_ price: Price, of pair: TradingPair, at time: Timestamp) -> Quote {
        let market = market.map { InlineText($0(pair)) } ?? nil
        return Quote(price: price, currency: pair.currency, timestamp: time, market: market)
    }

    /// The prices in an answer to a request for one pair or several. Of several, one is left out if the answer does not
    /// have exactly one good price of it.
    ///
    /// - Throws: as `read`.
    func prices(
        of pairs: [TradingPair], in response: HTTPResponse, at now: Timestamp
    ) throws(FetchError) -> [TradingPair: Price] {
        try read(response, at: now) { (answer) throws(InvalidInput) in
            if pairs.count > 1 { return try shared?.prices(of: pairs, in: answer) ?? [:] }
            let price = try price(answer, pairs[0])
            if let time { try PriceAge.check(time.time(in: answer), limit: oldest, at: now) }
            return [pairs[0]: price]
        }
    }

    /// What the body of an answer says.
    ///
    /// - Throws: the refusal that the answer is, or what is wrong with its body.
    func read<Value>(
        _ response: HTTPResponse, at now: Timestamp, _ value: (JSON) throws(InvalidInput) -> Value
    ) throws(FetchError) -> Value {
        let body = Result { () throws(InvalidInput) in try JSON(parsing: response.body) }
        let answer = (try? body.get()) ?? .null
        let kind = refusal(response.status, answer)
        guard response.status == 200, kind == nil else {
            throw FetchError(refusal: response, kind, words(in: answer), at: now)
        }
        do throws(InvalidInput) {
            let value = try value(body.get())
            if let age = response.age {
                try PriceAge.check(now + (.zero - age), limit: PriceAge.usual, at: now)
            }
            return value
        } catch {
            let parts = [error.reason, words(in: answer)].compactMap(\.self)
            throw FetchError(InvalidInput(parts.joined(separator: ": ")))
        }
    }

    private func words(in answer: JSON) -> String? {
        let words = answer.words(at: reason) ?? (answer.elements == nil ? nil : "the answer is an array")
        return words.map { key?.hidden(in: $0) ?? $0 }
    }
}

/// A parameter of an exchange's requests that a mirror may not know yet. Pure.
struct NewParameter: Sendable {
    /// What is added to an address that has parameters.
    let text: String
    /// The codes of an answer that does not know it.
    let unknown: Set<String>

    func isUnknown(in response: HTTPResponse) -> Bool {
        guard response.status == 400, let answer = try? JSON(parsing: response.body) else { return false }
        return answer["code"]?.number.map(unknown.contains) ?? false
    }
}
