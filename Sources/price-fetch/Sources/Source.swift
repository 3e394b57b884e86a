import Foundation
import PipeCommon

/// Somebody who can be asked for a price: where, and how the answer is read.
struct Source: Sendable {
    let name: String
    /// The request for the price of a pair.
    var request: @Sendable (Symbol) throws(InvalidInput) -> HTTPRequest
    /// The quote's price and currency in an answer with status 200, or why there is none.
    let price: @Sendable (JSON, Symbol) throws(InvalidInput) -> (Price, Currency)

    /// What a user can do about a status that refuses.
    var advice: [Int: String] = [:]

    /// All that are known by name, in the order in which they are listed.
    static let all = [binance, cryptoCompare, coinbase, kraken, bitstamp]

    func price(in body: some Sequence<UInt8>, _ symbol: Symbol) throws(InvalidInput) -> (Price, Currency) {
        try JSONParser.parse(body) { (answer) throws(InvalidInput) in try price(answer, symbol) }
    }

    /// The same source at another address.
    func asked(at url: URL) -> Source {
        var source = self
        let request = self.request
        source.request = { symbol throws(InvalidInput) in
            var request = try request(symbol)
            request.url = url
            return request
        }
        return source
    }

    /// An exchange: it prices pairs, and its answer must be of the pair that was asked for.
    static func exchange(
        _ name: String,
        advice: [Int: String] = [:],
        url: @escaping @Sendable (Pair) -> String,
        headers: @escaping @Sendable () throws(InvalidInput) -> [String: String] = {
            () throws(InvalidInput) in [:]
        },
        price: @escaping @Sendable (JSON, Pair) throws(InvalidInput) -> Price
    ) -> Source {
        Source(
            name: name,
            request: { symbol throws(InvalidInput) in
                HTTPRequest(url: URL(string: url(try Pair(symbol)))!, headers: try headers())
            },
            price: { json, symbol throws(InvalidInput) in
                let pair = try Pair(symbol)
                return (try price(json, pair), pair.currency)
            },
            advice: advice)
    }
}
