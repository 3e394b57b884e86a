import PipeCommon

/// A quote that is compared with those of other sources. Quotes with one name are one opinion: a push feed and the
/// requests to the same exchange are wrong together. Pure.
struct Opinion: Sendable {
    let name: String
    let quote: Quote
    /// False for a stored quote, which another source gave.
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
    /// That others contradict a quote: `binance 27550.00, coinbase 68901.23`.
    init(disputed opinion: Opinion, by others: [Opinion]) {
        let prices = ([opinion] + others).map { "\($0.name) \($0.quote.price.text)" }
        self.init(source: opinion.name, kind: .disputed, message: prices.joined(separator: ", "))
    }
}

/// Decides between the quotes of one tick when they contradict each other: a quote wins if more sources support it than
/// any quote that contradicts it, and at least two. Between equals, the order of the sources decides. Pure.
enum Vote {
    /// - Parameter quotes: in the order of their sources.
    /// - Returns: the place of the winner; nil if there is none.
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
