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
