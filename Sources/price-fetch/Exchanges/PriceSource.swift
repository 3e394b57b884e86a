import PipeCommon

/// A source of prices on the web: where to ask, and how to read the answer.
struct PriceSource: Sendable {
    let name: String
    /// The request for the price of a symbol, or why the source does not price it.
    var request: @Sendable (Symbol) throws(InvalidInput) -> HTTPRequest
    /// The price and its currency in an answer with status 200, or why there is none.
    let price: @Sendable (JSON, Symbol) throws(InvalidInput) -> (Price, Currency)
    /// The pair that a symbol is there, or why the source does not have it.
    var pair: @Sendable (Symbol) throws(InvalidInput) -> TradingPair = { symbol throws(InvalidInput) in
        try TradingPair(symbol)
    }
    /// How several symbols are asked for in one request; nil if each needs its own.
    var shared: SharedTicker?
    /// A parameter that is added to each request, as long as the host knows it.
    var parameter: NewParameter?
    /// The source's own name of what it prices for a symbol; nil if it has none.
    var market: @Sendable (Symbol) -> InlineText? = { _ in nil }
    /// The user's key for it, if it takes one.
    var key: APIKey?
    /// Where a payload has the time of its price; nil if it has none.
    var time: TimeField?
    /// How old that may be.
    var oldest = PriceAge.usual
    /// What a payload says of a refusal, whatever its status; nil if that status alone decides.
    var refusal: @Sendable (_ status: Int, JSON) -> Failure.Kind? = { _, _ in nil }
    /// What a user can do about an HTTP status that refuses us.
    var advice: [Int: String] = [:]

    /// The sources that have a name, in the order in which `--list` prints them.
    static let all = [binance, cryptoCompare, coinbase, kraken, bitstamp]

    /// The request for the price of one symbol, or of several pairs together.
    func request(for symbols: [Symbol]) throws(InvalidInput) -> HTTPRequest {
        var request = try request(symbols[0])
        if symbols.count == 1, parameter == nil { return request }
        let pairs = try symbols.map(pair)
        let text = symbols.count == 1 ? request.url.text : shared?.url(of: pairs) ?? ""
        guard let url = WebAddress(text + (parameter?.text ?? "")) else {
            throw InvalidInput("these symbols have no address")
        }
        request.url = url
        return request
    }

    /// The same source at another address.
    func asked(at url: WebAddress) -> PriceSource {
        var source = self
        (source.shared, source.parameter) = (nil, nil)
        source.request = { [request] symbol throws(InvalidInput) in
            var request = try request(symbol)
            request.url = url
            return request
        }
        return source
    }

    /// The same source at another host, with its own paths.
    func asked(below base: WebAddress) -> PriceSource {
        var source = self
        source.request = { [request] symbol throws(InvalidInput) in
            var request = try request(symbol)
            guard let url = WebAddress(Self.address(request.url.text, below: base)) else {
                throw InvalidInput("\(symbol.text) has no address")
            }
            request.url = url
            return request
        }
        source.shared?.url = { [shared] in Self.address(shared!.url($0), below: base) }
        return source
    }

    @Sendable static func address(_ text: String, below base: WebAddress) -> String {
        "\(base.text)/\(text.split(separator: "/", maxSplits: 2).last ?? "")"
    }

    /// - Returns: nil for what is not the beginning of an address, such as a URL with a query.
    @Sendable static func base(_ text: String) -> WebAddress? {
        let end = text.lastIndex { $0 != "/" }
        return text.contains { "?#".contains($0) } ? nil : end.flatMap { WebAddress(String(text[...$0])) }
    }

    /// An exchange: it prices pairs, and its answer must be of the pair that was asked for. It does not have a pair for
    /// which it answers 404, unless its own `refusal` says otherwise.
    ///
    /// - Parameter quotes: if its names of markets have no separator, the currencies that can end one.
    static func exchange(
        _ name: String,
        quotes: Set<String>? = nil,
        market: (@Sendable (TradingPair) -> String)? = nil,
        shared: SharedTicker? = nil,
        parameter: NewParameter? = nil,
        time: TimeField? = nil,
        oldest: Duration = PriceAge.usual,
        key: APIKey? = nil,
        advice: [Int: String] = [:],
        largestBody: Int = HTTPRequest.usualBody,
        url: @escaping @Sendable (TradingPair) -> String,
        refusal: @escaping @Sendable (_ status: Int, JSON) -> Failure.Kind? = { status, _ in
            status == 404 ? .unsupported : nil
        },
        price: @escaping @Sendable (JSON, TradingPair) throws(InvalidInput) -> Price
    ) -> PriceSource {
        let pair: @Sendable (Symbol) throws(InvalidInput) -> TradingPair = { symbol throws(InvalidInput) in
            let pair = try TradingPair(symbol)
            if quotes?.contains(pair.currency.code) == false {
                throw InvalidInput(
                    "\(pair.currency.code) is not a currency that its markets are known to have")
            }
            return pair
        }
        return PriceSource(
            name: name,
            request: { symbol throws(InvalidInput) in
                guard let url = WebAddress(url(try pair(symbol))) else {
                    throw InvalidInput("\(symbol.text) has no address")
                }
                return HTTPRequest(url: url, largestBody: largestBody)
            },
            price: { json, symbol throws(InvalidInput) in
                let pair = try TradingPair(symbol)
                return (try price(json, pair), pair.currency)
            },
            pair: pair,
            shared: shared,
            parameter: parameter,
            market: { symbol in
                guard let market, let pair = try? TradingPair(symbol) else { return nil }
                return InlineText(market(pair))
            },
            key: key,
            time: time,
            oldest: oldest,
            refusal: refusal,
            advice: advice)
    }
}
