import PipeCommon

/// A quote that can be compared with other sources' quotes. Quotes with the same source name count as one opinion: if
/// an exchange is wrong, its push feed and its answers to requests are usually both wrong. Pure.
struct Opinion: Sendable {
    let name: String
    let price: Price
    let currency: Currency
    /// Whether the quote comes from a store, which repeats an earlier quote of another source.
    let isStored: Bool
    /// Whether the price is made up. Made-up quotes are compared only with each other.
    let isMadeUp: Bool

    /// - Returns: nil for a reading without a new quote.
    init?(_ reading: borrowing Reading) {
        guard reading.isFresh, let quote = reading.quote, let name = reading.source else { return nil }
        (self.name, price, currency) = (name, quote.price, quote.currency)
        (isStored, isMadeUp) = (reading.isStored, reading.isMadeUp)
    }

    /// Whether the two quotes are comparable, have different source names, and agree within the tolerance.
    func confirms(_ other: Opinion, within tolerance: Tolerance) -> Bool {
        name != other.name && agrees(with: other, within: tolerance)
    }

    /// Whether the two quotes are comparable, have different source names, and differ by more than the tolerance.
    func contradicts(_ other: Opinion, beyond tolerance: Tolerance) -> Bool {
        name != other.name && differs(from: other, beyond: tolerance)
    }

    /// Like `confirms`, but the source names may be the same.
    func agrees(with other: Opinion, within tolerance: Tolerance) -> Bool {
        isComparable(with: other) && tolerance.allows(price.units, other.price.units)
    }

    /// Like `contradicts`, but the source names may be the same.
    func differs(from other: Opinion, beyond tolerance: Tolerance) -> Bool {
        isComparable(with: other) && !tolerance.allows(price.units, other.price.units)
    }

    /// Whether both prices are in the same currency, and both or neither are made up.
    func isComparable(with other: Opinion) -> Bool {
        currency == other.currency && isMadeUp == other.isMadeUp
    }
}

extension Failure {
    /// A failure for a disputed quote. The message lists the quote, then the other opinions, as in
    /// `binance 27550.00, coinbase 68901.23`. A long list is cut to the maximum length of a message.
    init(disputed opinion: Opinion, by others: [Opinion]) {
        let prices = ([opinion] + others).map { "\($0.name) \($0.price.text)" }
        self.init(source: opinion.name, kind: .disputed, message: prices.joined(separator: ", "))
    }
}

/// Decides between the quotes of one tick when sources contradict each other: a quote wins if at least two sources with
/// different names support it and every quote that contradicts it has less support. If several quotes qualify, the
/// first in the given order wins. Pure.
enum Vote {
    /// - Parameter quotes: the quotes in the order of their sources, but with the quotes that are set aside (see
    ///   `Opinions.isSetAside`) at the end.
    /// - Returns: the index of the winner; nil if there is none.
    static func winner(among quotes: [Opinion], within tolerance: Tolerance) -> Int? {
        let support = quotes.map { quote in
            let voters = quotes.lazy.filter { !$0.isStored && $0.agrees(with: quote, within: tolerance) }
            return Set(voters.map(\.name)).count
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

/// Remembers each source's latest quote for a symbol as the source's opinion for two minutes, so that few additional
/// requests are needed to compare prices. A quote is not remembered if it is stored, if its currency differs from the
/// currency of the source's remembered opinion, or if opinions are not compared (see `tolerance`). A remembered opinion
/// can only confirm or contradict a quote; the quote to use is chosen from the tick's own quotes (see `Vote`). Pure.
struct Opinions {
    typealias Instant = Deadline.Instant

    private struct Remembered {
        let opinion: Opinion
        let time: Instant
        /// Becomes true when the opinion differs too much from another source's quote that wins a vote. Becomes false
        /// when a new quote of the source is remembered, if a trusted opinion confirms the quote within half the
        /// tolerance or the source's previous opinion has expired.
        var isOutvoted = false

        func isValid(at now: Instant) -> Bool { now - time < lifetime }
        func isTrusted(at now: Instant) -> Bool { !isOutvoted && isValid(at: now) }
    }

    private static let lifetime = Duration.seconds(120)
    /// The length of the pause after a vote without a winner. During the pause, no sources are queried to settle a
    /// contradiction, unless the primary's quote is set aside.
    private static let pause = Duration.seconds(5)

    /// The allowed difference between two quotes; nil if opinions are not compared.
    let tolerance: Tolerance?
    /// The remembered quote of each source, by the source's index. Sources beyond the end of the array have no
    /// remembered quote.
    private var last: [Remembered?] = []
    /// When a vote last ended without a winner; nil before the first such vote. Votes during the pause are not
    /// recorded.
    private var undecided: Instant?

    init(within tolerance: Tolerance?) {
        self.tolerance = tolerance
    }

    mutating func record(_ opinion: Opinion, of source: Int, at now: Instant) {
        guard let tolerance, !opinion.isStored else { return }
        while source >= last.count { last.append(nil) }
        // A quote whose currency differs from the remembered quote's currency is not an opinion about the same price.
        if let before = last[source], before.isValid(at: now), before.opinion.currency != opinion.currency {
            return
        }
        var remembered = Remembered(opinion: opinion, time: now)
        if let before = last[source], before.isOutvoted, before.isValid(at: now) {
            remembered.isOutvoted = !isConfirmed(opinion, within: tolerance.half, at: now)
        }
        last[source] = remembered
    }

    /// Whether a second opinion is needed: the primary's opinion is remembered, but every comparable opinion from a
    /// source with another name is at least a minute old.
    func needsSecond(at now: Instant) -> Bool {
        guard tolerance != nil, let own = last.first ?? nil, own.isValid(at: now) else { return false }
        return !last.dropFirst().contains { other in
            guard let other, other.opinion.name != own.opinion.name else { return false }
            return other.opinion.isComparable(with: own.opinion) && now - other.time < SecondOpinion.lifetime
        }
    }

    /// The sources whose opinions contradict a quote, in the order of the sources. Outvoted sources do not count while
    /// a trusted source confirms the quote. For the quote of an outvoted source, half of the tolerance applies.
    func contradicting(_ opinion: Opinion, of source: Int, at now: Instant) -> [(
        source: Int, opinion: Opinion
    )] {
        guard let tolerance = isOutvoted(source) ? tolerance?.half : tolerance else { return [] }
        var all: [(source: Int, opinion: Opinion)] = []
        for (source, other) in last.enumerated() {
            guard let other, other.isValid(at: now), other.opinion.contradicts(opinion, beyond: tolerance),
                !(other.isOutvoted && isConfirmed(opinion, within: tolerance, at: now))
            else { continue }
            all.append((source, other.opinion))
        }
        return all
    }

    /// Whether a source's quote is only a last resort, because the source was outvoted and a trusted source still
    /// contradicts the quote.
    func isSetAside(_ opinion: Opinion, of source: Int, at now: Instant) -> Bool {
        guard let tolerance, isOutvoted(source) else { return false }
        return last.contains { other in
            guard let other, other.isTrusted(at: now) else { return false }
            return other.opinion.contradicts(opinion, beyond: tolerance.half)
        }
    }

    private func isOutvoted(_ source: Int) -> Bool {
        source < last.count && last[source]?.isOutvoted == true
    }

    /// Stops trusting the other sources whose opinions differ too much from the winner of a vote, even sources with the
    /// winner's name.
    mutating func outvote(differingFrom winner: Opinion, of winnersSource: Int) {
        guard let tolerance else { return }
        for source in last.indices where source != winnersSource {
            guard let other = last[source]?.opinion, other.differs(from: winner, beyond: tolerance) else {
                continue
            }
            last[source]?.isOutvoted = true
        }
    }

    /// Whether all sources may be queried to settle a contradiction; false for five seconds after a vote without a
    /// winner. Further votes during this period do not extend it.
    func mayAsk(at now: Instant) -> Bool {
        undecided.map { now - $0 >= Self.pause } ?? true
    }

    mutating func recordUndecided(at now: Instant) {
        if mayAsk(at: now) { undecided = now }
    }

    private func isConfirmed(_ opinion: Opinion, within tolerance: Tolerance, at now: Instant) -> Bool {
        last.contains { other in
            guard let other, other.isTrusted(at: now) else { return false }
            return other.opinion.confirms(opinion, within: tolerance)
        }
    }
}
