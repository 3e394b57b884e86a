import PipeCommon

/// Selects the middle quote of the quotes that agree. Its price is used exactly as the source sent it; nothing is
/// averaged. Pure.
struct Median {
    /// The indices of the quotes, by their role. Quotes that do not count have no role.
    struct Result: Equatable {
        /// The quote that answers the tick; nil if too few quotes agree.
        var chosen: Int?
        /// The quotes that agree, and the quotes that differ from the middle quote by more than the tolerance. Both
        /// lists are sorted by price, lowest first.
        var agreeing: [Int] = []
        var dropped: [Int] = []
        /// The most common currency (nil if no quote counts), and the quotes in other currencies.
        var currency: Currency?
        var foreign: [Int] = []
    }

    /// The allowed difference from the middle quote; nil if every difference is allowed.
    let tolerance: Tolerance?

    /// - Parameters:
    ///   - quotes: the quotes for one tick, in the order of their sources. Stored quotes do not count, and made-up
    ///     quotes count only if all other quotes are made up or stored. Of several remaining quotes with the same
    ///     source name, only the first counts.
    ///   - voices: the number of sources that count for the median.
    /// - Returns: the roles of the quotes. The chosen quote is the middle quote among the quotes that agree or, if an
    ///   even number of quotes agree, the lower of the two middle quotes. A quote is chosen only if more than
    ///   `voices / 2` quotes agree.
    func result(of quotes: [Opinion], among voices: Int) -> Result {
        var seen: Set<String> = []
        let voters = quotes.indices.filter {
            quotes.counts(quotes[$0]) && seen.insert(quotes[$0].name).inserted
        }
        let counts = Dictionary(grouping: voters) { quotes[$0].currency }.mapValues(\.count)
        guard let most = counts.values.max(),
            let currency = voters.first(where: { counts[quotes[$0].currency] == most }).map({
                quotes[$0].currency
            })
        else { return Result() }
        let sorted = voters.filter { quotes[$0].currency == currency }.sorted {
            quotes[$0].price.units < quotes[$1].price.units
        }
        let middle = quotes[Self.lowerMiddle(of: sorted)].price.units
        var result = Result(currency: currency, foreign: voters.filter { quotes[$0].currency != currency })
        for place in sorted {
            let agrees = tolerance?.allows(middle, quotes[place].price.units) ?? true
            if agrees { result.agreeing.append(place) } else { result.dropped.append(place) }
        }
        if result.agreeing.count * 2 > voices { result.chosen = Self.lowerMiddle(of: result.agreeing) }
        return result
    }

    private static func lowerMiddle(of places: [Int]) -> Int { places[(places.count - 1) / 2] }
}

extension [Opinion] {
    /// Whether a quote may count for the median. Stored quotes do not count, and made-up quotes count only if all other
    /// quotes are made up or stored.
    fileprivate func counts(_ quote: Opinion) -> Bool {
        !quote.isStored && (!quote.isMadeUp || allSatisfy { $0.isStored || $0.isMadeUp })
    }
}

extension PendingTick {
    /// Decides on the reading as soon as every source has answered or failed, or the time is up. Must not be called
    /// after the decision.
    ///
    /// - Parameter voices: the number of sources that count for the median.
    mutating func decide(by median: Median, among voices: Int, at now: Instant) {
        guard isFinal(at: now) || !answers.contains(where: \.isOpen) else { return }
        var quotes: [(source: Int, opinion: Opinion, reading: Reading)] = []
        for (source, answer) in answers.enumerated() {
            if case .quote(let opinion, let reading) = answer { quotes.append((source, opinion, reading)) }
        }
        let opinions = quotes.map(\.opinion)
        let result = median.result(of: opinions, among: voices)
        let agreeing = result.agreeing.map { opinions[$0] }
        var failures: [Failure] = []
        for (source, answer) in answers.enumerated() {
            if case .failed(let all) = answer { failures += all }
            guard let place = quotes.firstIndex(where: { $0.source == source }) else { continue }
            if place == result.chosen { failures += quotes[place].reading.failures.lastOfSource }
            if result.dropped.contains(place) {
                failures.append(Failure(disputed: opinions[place], by: agreeing))
            }
            if result.foreign.contains(place) {
                let message = "the price is in \(opinions[place].currency.text), not \(result.currency!.text)"
                failures.append(Failure(source: opinions[place].name, kind: .invalidData, message: message))
            }
        }
        var reading: Reading
        if let chosen = result.chosen {
            let own = quotes[chosen].reading
            reading = Reading(answering: tick, own.quote!, from: own.source!, after: failures.lastOfTick)
            (reading.isClosed, reading.isMadeUp) = (own.isClosed, own.isMadeUp)
            if own.isDisputed || failures.contains(where: { $0.kind == .disputed }) {
                reading.ownDispute = own.isDisputed
            }
        } else {
            if failures.isEmpty {
                let words = "\(result.agreeing.count) of \(voices) sources returned an independent price"
                failures = [Failure(source: opinions.first?.name ?? "", kind: .disputed, message: words)]
            }
            reading = Reading(answering: tick, failures.lastOfTick)
        }
        reading.prices = (result.agreeing + result.dropped).sorted().map {
            SourcePrice(source: opinions[$0].name, price: opinions[$0].price)
        }
        self.reading = reading
    }
}
