import PipeCommon

/// A quote that is compared with those of other sources. Quotes with the same name count as one opinion: if
/// an exchange is wrong, its push feed and its answers to requests are both wrong. Pure.
struct Opinion: Sendable {
    let name: String
    let quote: Quote
    let isClosed: Bool
    /// Whether it comes from a store, and therefore from another source.
    let isStored: Bool
    let isMadeUp: Bool
    /// Whether the source, which compares others itself, says that the quote is disputed.
    let isDisputed: Bool
    /// The prices that the source has compared.
    let prices: [SourcePrice]
    private let units: Int128

    /// - Returns: nil for a reading without a new quote.
    init?(_ reading: Reading) {
        guard reading.isFresh, let quote = reading.quote, let name = reading.source else { return nil }
        (self.name, self.quote, units) = (name, quote, quote.price.units)
        (isClosed, isStored, isMadeUp) = (reading.isClosed, reading.isStored, reading.isMadeUp)
        (isDisputed, prices) = (reading.isDisputed, reading.prices)
    }

    func confirms(_ other: Opinion, within tolerance: Tolerance) -> Bool {
        isComparable(with: other) && tolerance.allows(units, other.units)
    }

    func contradicts(_ other: Opinion, beyond tolerance: Tolerance) -> Bool {
        isComparable(with: other) && !tolerance.allows(units, other.units)
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
                    !voter.isStored && (voter.name == quote.name || voter.confirms(quote, within: tolerance))
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
