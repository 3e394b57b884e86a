import PipeCommon

extension PriceSource {
    /// The quote in an answer, dated now.
    ///
    /// - Throws: the refusal that the answer is, or what is wrong with its body.
    func quote(of symbol: Symbol, in response: HTTPResponse, at now: Timestamp) throws(FetchError) -> Quote {
        try read(response, at: now) { (answer) throws(InvalidInput) in
            let (price, currency) = try price(answer, symbol)
            if let time { try PriceAge.check(time.time(in: answer), limit: oldest, at: now) }
            return Quote(price: price, currency: currency, timestamp: now, market: market(symbol))
        }
    }

    /// The quotes in the answer to a request for one symbol or several, dated now. Of several, one is left out if the
    /// answer does not have exactly one good price of it.
    ///
    /// - Throws: as `quote`, for all of the symbols.
    func quotes(
        of symbols: [Symbol], in response: HTTPResponse, at now: Timestamp
    ) throws(FetchError) -> [Symbol: Quote] {
        if symbols.count == 1 { return [symbols[0]: try quote(of: symbols[0], in: response, at: now)] }
        return try read(response, at: now) { (answer) throws(InvalidInput) in
            guard let shared else { return [:] }
            let pairs = try symbols.map(pair)
            let prices = try shared.prices(of: pairs, in: answer)
            var quotes: [Symbol: Quote] = [:]
            for (symbol, pair) in zip(symbols, pairs) {
                quotes[symbol] = prices[pair].map {
                    Quote(price: $0, currency: pair.currency, timestamp: now, market: market(symbol))
                }
            }
            return quotes
        }
    }

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
        let words = answer.words ?? (answer.kind == .array ? "the answer is an array" : nil)
        return words.map { key?.hidden(in: $0) ?? $0 }
    }
}
