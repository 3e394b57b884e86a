import PipeCommon

extension PriceSource {
    /// The quote in an answer, dated now.
    ///
    /// - Throws: the refusal that the answer is, or what is wrong with its body.
    func quote(of symbol: Symbol, in response: HTTPResponse, at now: Timestamp) throws(FetchError) -> Quote {
        let body = Result { () throws(InvalidInput) in try JSON(parsing: response.body) }
        let answer = try? body.get()
        let words = answer?.words.map { key?.hidden(in: $0) ?? $0 }
        let kind = refusal(response.status, answer ?? .null)
        if response.status != 200 || kind != nil {
            throw FetchError(refusal: response, kind, words, at: now)
        }
        do throws(InvalidInput) {
            let (price, currency) = try price(body.get(), symbol)
            let time = time.flatMap { answer?.time($0) }
            try PriceAge.check(time, age: response.age, at: now)
            return Quote(price: price, currency: currency, timestamp: now, market: market(symbol))
        } catch {
            throw FetchError(
                InvalidInput([error.reason, words].compactMap(\.self).joined(separator: ": ")))
        }
    }
}
