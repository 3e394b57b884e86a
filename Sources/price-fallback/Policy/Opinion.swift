import PipeCommon

/// A quote that is compared with those of other sources. Quotes with the same name count as one opinion: if
/// an exchange is wrong, its push feed and its answers to requests are both wrong. Pure.
struct Opinion: Sendable {
    let name: String
    let quote: Quote
    /// False for a stored quote, which came from another source.
    let isOwn: Bool
    private let amount: UInt128

    init(_ quote: Quote, from name: String, isOwn: Bool = true) {
        (self.name, self.quote, self.isOwn) = (name, quote, isOwn)
        amount = quote.price.amount
    }

    func confirms(_ other: Opinion, within tolerance: Tolerance) -> Bool {
        isComparable(with: other) && tolerance.allows(amount, other.amount)
    }

    func contradicts(_ other: Opinion, beyond tolerance: Tolerance) -> Bool {
        isComparable(with: other) && !tolerance.allows(amount, other.amount)
    }

    private func isComparable(with other: Opinion) -> Bool {
        name != other.name && quote.currency == other.quote.currency
    }
}

extension Failure {
    /// The failure of a quote that other sources contradict: `binance 27550.00, coinbase 68901.23`.
    init(disputed opinion: Opinion, by others: [Opinion]) {
        let prices = ([opinion] + others).map { "\($0.name) \($0.quote.price.text)" }
        self.init(source: opinion.name, kind: .disputed, message: prices.joined(separator: ", "))
    }
}

/// Decides between the quotes of one tick when they contradict each other: a quote wins if more sources
/// support it than any quote that contradicts it, and at least two. If several quotes qualify, the first in
/// the order of the sources wins. Pure.
enum Vote {
    /// - Parameter quotes: the quotes in the order of their sources.
    /// - Returns: the index of the winner; nil if there is none.
    static func winner(among quotes: [Opinion], within tolerance: Tolerance) -> Int? {
        let support = quotes.map { quote in
            Set(
                quotes.lazy.filter { voter in
                    voter.isOwn && (voter.name == quote.name || voter.confirms(quote, within: tolerance))
                }.map(\.name)
            ).count
        }
        return quotes.indices.first { place in
            support[place] > 1
                && quotes.indices.allSatisfy { other in
                    support[other] < support[place]
                        || !quotes[other].contradicts(quotes[place], beyond: tolerance)
                }
        }
    }
}
