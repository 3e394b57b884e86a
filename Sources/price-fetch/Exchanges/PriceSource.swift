import PipeCommon

/// A web source of prices: how to request them, and how to read the answers. If an exchange's answer names its pair,
/// the price is used only if this is the requested pair.
struct PriceSource: Sendable {
    typealias Refusal = @Sendable (_ status: Int, JSON) -> Failure.Kind?

    let name: String
    /// Whether the source offers prices only for trading pairs, as exchanges do, rather than for any symbol.
    var pricesPairsOnly = true
    /// The currencies in which prices can be requested; nil for any currency. Only sources whose market names do not
    /// separate the base from the currency need this list.
    var quotes: Set<String>?
    /// The source's own name for a pair; if this is nil, the text of the symbol serves as the name.
    var market: (@Sendable (TradingPair) -> String)?
    /// The documented rate limit; nil if no limit is known, or if prices are polled from the URL in `--url`.
    var limit: RateLimit?
    /// How to get the prices of several pairs with one request; nil if each pair needs its own request.
    var shared: SharedTicker?
    /// How to request candles; nil if candles cannot be requested.
    var candles: CandleSource?
    /// The source's push feed; nil if the program does not support a push feed of this source.
    var push: PushSource?
    /// Where an answer about the price of a single market contains the time from which the age of this price is
    /// computed; nil if no such time is known.
    var time: TimeField?
    /// The maximum age of the price in an answer about a single market. The age is computed from `time`.
    var oldest = PriceAge.usual
    /// The user's API key, if the source accepts a key.
    var key: APIKey?
    /// What a user can do if the source denies access; nil if we have no advice.
    var advice: String?
    /// Where an answer contains the reason for a refusal; nil for the usual places.
    var reason: JSONPointer?
    /// The maximum size of an answer to a price request, in bytes. `shared` may set a different limit for shared
    /// requests.
    var largestBody = HTTPRequest.usualBody
    /// Replaces the scheme and the host of every address; nil to keep the source's own scheme and host.
    private(set) var base: WebAddress?
    /// The address at which the price of a market is requested.
    var url: @Sendable (Market) -> String
    /// The kind of failure that an answer's status and body indicate. Nil if they do not indicate a kind; the status
    /// then has its usual meaning.
    let refusal: Refusal
    /// The price in an answer with status 200. Throws the reason if there is no valid price.
    let price: @Sendable (JSON, Market) throws(InvalidInput) -> Price

    /// The known web sources, in the order in which `--list` prints them.
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

    /// A source at any address that returns JSON; `pointer` states where the JSON contains the price. If a symbol does
    /// not name a currency, its price counts as a price in US dollars.
    static func custom(name: String, url: WebAddress, price pointer: JSONPointer) -> PriceSource {
        PriceSource(
            name: name, pricesPairsOnly: false, url: { _ in url.text }, refusal: { _, _ in nil },
            price: { answer, _ throws(InvalidInput) in try answer.price(pointer, as: .either) })
    }

    /// The same source with a fixed address, which returns the price of one pair.
    func asked(at url: WebAddress) -> PriceSource {
        var source = self
        (source.shared, source.candles, source.limit) = (nil, nil, nil)
        source.url = { _ in url.text }
        return source
    }

    /// The same source with another base address, to which the source's paths are appended.
    func asked(below base: WebAddress) -> PriceSource {
        var source = self
        source.base = base
        return source
    }

    /// Reads a base address and removes any slashes at its end.
    ///
    /// - Returns: nil for text that cannot be the beginning of an address, such as a URL with a query.
    @Sendable static func base(_ text: String) -> WebAddress? {
        let end = text.lastIndex { $0 != "/" }
        return text.contains { "?#".contains($0) } ? nil : end.flatMap { WebAddress(String(text[...$0])) }
    }

    /// The source's market for a symbol. Throws the reason if the symbol cannot be requested from the source.
    func market(of symbol: Symbol) throws(InvalidInput) -> Market {
        if !pricesPairsOnly {
            let pair = TradingPair(symbol: symbol, base: symbol.text, currency: symbol.currency)
            return Market(pair: pair, name: symbol.text)
        }
        let pair = try TradingPair(symbol)
        if quotes?.contains(pair.currency.code) == false {
            throw InvalidInput("this source is not known to quote prices in \(pair.currency.code)")
        }
        return Market(pair: pair, name: market?(pair) ?? symbol.text)
    }

    /// A request for the URL in `text`. If `base` is set, it replaces the scheme and the host of the URL. The request
    /// contains the user's API key if the user has set a key and the key may be sent to this URL.
    func request(_ text: String, _ largestBody: Int) throws(FetchError) -> HTTPRequest {
        let path = { text.split(separator: "/", maxSplits: 2).last! }
        guard let url = WebAddress(base.map { "\($0.text)/\(path())" } ?? text) else {
            throw FetchError(unsupported: InvalidInput("the URL for this symbol is not valid"))
        }
        return HTTPRequest(url: url, headers: try key?.headers(for: url) ?? [:], largestBody: largestBody)
    }

    /// A quote from this source. It contains the market's name only if the source has its own names for pairs.
    func quote(
        _ price: Price, of market: Market, at time: Timestamp, _ range: CandleRange? = nil
    ) -> Quote {
        Quote(
            price: price, currency: market.currency, timestamp: time,
            market: self.market == nil ? nil : InlineText(market.name), range: range)
    }

    /// The prices in an answer to a request for one market or several. If several markets were requested, markets
    /// without a usable price are omitted; see `SharedTicker.prices`.
    ///
    /// - Throws: the errors of `read`.
    func prices(
        of markets: [Market], in response: HTTPResponse, at now: Timestamp
    ) throws(FetchError) -> [Market: Price] {
        if markets.count > 1, let shared {
            return try read(response, shared.refusal ?? refusal, at: now) { (answer) throws(InvalidInput) in
                try shared.prices(of: markets, in: answer, at: now)
            }
        }
        return try read(response, refusal, at: now) { (answer) throws(InvalidInput) in
            let price = try price(answer, markets[0])
            if let time { try PriceAge.check(time.time(in: answer), limit: oldest, at: now) }
            return [markets[0]: price]
        }
    }

    /// Reads a value from the body of an answer.
    ///
    /// - Throws: an error if the status is not 200, if `refusal` returns a kind of failure, if the body of the answer
    ///   is not JSON, if `value` rejects the JSON, or if an HTTP cache has kept the answer for too long.
    func read<Value>(
        _ response: HTTPResponse, _ refusal: Refusal, at now: Timestamp,
        _ value: (JSON) throws(InvalidInput) -> Value
    ) throws(FetchError) -> Value {
        let body = Result { () throws(InvalidInput) in try JSON(parsing: response.body) }
        let answer = (try? body.get()) ?? .null
        let kind = refusal(response.status, answer)
        guard response.status == 200, kind == nil else {
            throw FetchError(
                refusal: response, kind, words(in: answer),
                advice: advice, at: now)
        }
        do throws(InvalidInput) {
            let value = try value(body.get())
            if let age = response.age {
                try PriceAge.check(now + (.zero - age), limit: PriceAge.usual, at: now)
            }
            return value
        } catch {
            let clock = PriceAge.clockProblem(response.date, at: now)
            let parts = [hidingKey(error.reason), clock, words(in: answer)].compactMap(\.self)
            throw FetchError(InvalidInput(parts.joined(separator: ": ")))
        }
    }

    private func words(in answer: JSON) -> String? {
        guard let words = answer.words(at: reason) else {
            return answer.elements == nil ? nil : "the answer is an array"
        }
        // The key is hidden before the words are cut. Otherwise, a part of the key could remain at the cut.
        return printable(hidingKey(words), atMost: 100)
    }

    private func hidingKey(_ text: String) -> String { key?.hidden(in: text) ?? text }
}

/// How to get the prices of several markets of an exchange with one request, and how to match the tickers in the answer
/// to the requested markets. Some exchanges return either one market or all markets. Pure.
struct SharedTicker: Sendable {
    /// The smallest number of markets for which a shared request is worthwhile.
    var fewest = 2
    /// The maximum number of markets in a request. If a request lists 50 markets, its address is usually shorter than
    /// 1 KiB and the answer shorter than 20 KiB.
    var most = 50
    /// How many requests the exchange's rate limit counts for one shared request.
    var weight = 1
    /// The maximum size of an answer, in bytes; nil for the source's own limit.
    var largestBody: Int?
    /// The URL of a request for the prices of the markets with the given names.
    var url: @Sendable ([String]) -> String
    /// The names that an answer may use for a market. A request that lists markets uses the first of these names.
    let names: @Sendable (Market) -> [String]
    /// The tickers in an answer with status 200, each with the name of its market.
    let tickers: @Sendable (JSON) throws(InvalidInput) -> [(name: String, ticker: JSON)]
    /// Where a ticker contains the price.
    let price: JSONPointer
    /// Where a ticker contains the time from which the age of its price is computed; nil if tickers contain no time.
    var time: TimeField?
    /// Where an answer contains the time when it was created; nil if answers contain no such time.
    var answerTime: TimeField?
    /// Recognizes refusals of shared requests; nil if the source's own `refusal` does this.
    var refusal: PriceSource.Refusal?

    /// The address for several markets. A market that two symbols share is requested only once.
    func url(of markets: [Market]) -> String {
        var seen: Set<String> = []
        return url(markets.map { names($0)[0] }.filter { seen.insert($0).inserted })
    }

    /// The price of each market. A market is included only if the answer contains exactly one ticker that certainly
    /// belongs to the market, and this ticker is usable. A ticker is usable if its price is valid and, if `time` is
    /// set, its time is valid and recent enough. A ticker whose name could belong to two differently named markets is
    /// ignored.
    ///
    /// - Throws: an error if the whole answer is malformed or too old.
    func prices(
        of markets: [Market], in answer: JSON, at now: Timestamp
    ) throws(InvalidInput) -> [Market: Price] {
        if let answerTime { try PriceAge.check(answerTime.time(in: answer), limit: PriceAge.usual, at: now) }
        let names = markets.map(names)
        var market: [String: String?] = [:]
        for names in names {
            for name in names {
                market[name] = .some(market[name, default: names[0]] == names[0] ? names[0] : nil)
            }
        }
        var found: [String: [JSON]] = [:]
        for (name, ticker) in try tickers(answer) {
            if let market = market[name] ?? nil { found[market, default: []].append(ticker) }
        }
        var prices: [Market: Price] = [:]
        for (asked, names) in zip(markets, names) {
            guard let tickers = found[names[0]], tickers.count == 1 else { continue }
            prices[asked] = try? self.price(in: tickers[0], at: now)
        }
        return prices
    }

    private func price(in ticker: JSON, at now: Timestamp) throws(InvalidInput) -> Price {
        if let time { try PriceAge.check(time.time(in: ticker), limit: PriceAge.usual, at: now) }
        return try ticker.price(price, as: .string)
    }
}
