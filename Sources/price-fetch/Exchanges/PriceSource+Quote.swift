import PipeCommon

extension PriceSource {
    /// The quote in an answer, dated now.
    ///
    /// - Throws: the refusal that the answer is, or what is wrong with its body.
    func quote(of symbol: Symbol, in response: HTTPResponse, at now: Timestamp) throws(FetchError) -> Quote {
        let body = Result { () throws(InvalidInput) in try JSON(parsing: response.body) }
        let answer = (try? body.get()) ?? .null
        let kind = refusal(response.status, answer)
        guard response.status == 200, kind == nil else {
            throw FetchError(refusal: response, kind, words(in: answer), at: now)
        }
        do throws(InvalidInput) {
            let (price, currency) = try price(body.get(), symbol)
            try PriceAge.check(time.flatMap { answer.time($0) }, age: response.age, at: now)
            return Quote(price: price, currency: currency, timestamp: now, market: market(symbol))
        } catch {
            let parts = [error.reason, words(in: answer)].compactMap(\.self)
            throw FetchError(InvalidInput(parts.joined(separator: ": ")))
        }
    }

    private func words(in answer: JSON) -> String? {
        answer.words.map { key?.hidden(in: $0) ?? $0 }
    }
}
