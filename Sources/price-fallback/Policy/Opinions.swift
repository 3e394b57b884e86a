import PipeCommon

/// Remembers for two minutes what each source last quoted for each symbol: second opinions that cost no request. They
/// cast doubt on a quote; only the quotes of a tick decide which of them is used (see `Vote`). Pure.
struct Opinions {
    typealias Instant = Deadline.Instant

    private struct Remembered {
        let opinion: Opinion
        let time: Instant
        /// Whether a vote went against the source, and it has not agreed with a trusted one since.
        var isOutvoted = false

        func isValid(at now: Instant) -> Bool { now - time < lifetime }
    }

    private static let lifetime = Duration.seconds(120)
    /// While two sources contradict each other, the others are not asked at every tick.
    private static let pause = Duration.seconds(5)
    /// A limit for what the sources can make us remember, in symbols.
    private static let most = 20_000

    /// Nil if quotes are not compared.
    let tolerance: Tolerance?
    private let none: [Remembered?]
    /// For each symbol the last quote of each source.
    private var last: [Symbol: [Remembered?]] = [:]
    /// For each symbol when the sources were last asked in vain.
    private var undecided: [Symbol: Instant] = [:]

    init(of sources: Int, within tolerance: Tolerance?) {
        none = Array(repeating: nil, count: sources)
        // A single source has nobody to contradict it.
        self.tolerance = sources > 1 ? tolerance : nil
    }

    mutating func record(_ opinion: Opinion, of source: Int, for symbol: Symbol, at now: Instant) {
        guard tolerance != nil, opinion.isOwn, last.count < Self.most || last[symbol] != nil else { return }
        var remembered = Remembered(opinion: opinion, time: now)
        if let before = last[symbol]?[source], before.isOutvoted, before.isValid(at: now) {
            remembered.isOutvoted = !isConfirmed(opinion, for: symbol, at: now)
        }
        last[symbol, default: none][source] = remembered
    }

    /// The opinions that contradict a quote. One that was outvoted does not count while a trusted one confirms the quote.
    func contradicting(_ opinion: Opinion, for symbol: Symbol, at now: Instant) -> [Opinion] {
        guard let tolerance, let last = last[symbol] else { return [] }
        var all: [Remembered] = []
        for case let other? in last
        where other.opinion.contradicts(opinion, beyond: tolerance) && other.isValid(at: now) {
            all.append(other)
        }
        if all.contains(where: \.isOutvoted), isConfirmed(opinion, for: symbol, at: now) {
            all.removeAll(where: \.isOutvoted)
        }
        return all.map(\.opinion)
    }

    /// Whether a source's quote is to be used only if there is no other one: the source was outvoted, and one that was
    /// not still contradicts it.
    func isSetAside(_ opinion: Opinion, of source: Int, for symbol: Symbol, at now: Instant) -> Bool {
        guard let tolerance, let last = last[symbol], last[source]?.isOutvoted == true else { return false }
        return last.contains { other in
            guard let other, !other.isOutvoted, other.isValid(at: now) else { return false }
            return other.opinion.contradicts(opinion, beyond: tolerance)
        }
    }

    /// Trusts what contradicts the quote that has won a vote no longer.
    mutating func outvote(contradicting winner: Opinion, for symbol: Symbol) {
        guard let tolerance, let known = last[symbol] else { return }
        for source in known.indices
        where known[source]?.opinion.contradicts(winner, beyond: tolerance) == true {
            last[symbol]?[source]?.isOutvoted = true
        }
    }

    /// Whether all sources may be asked to decide: not within five seconds after they could not.
    func mayAsk(for symbol: Symbol, at now: Instant) -> Bool {
        undecided[symbol].map { now - $0 >= Self.pause } ?? true
    }

    mutating func recordUndecided(for symbol: Symbol, at now: Instant) {
        if mayAsk(for: symbol, at: now) { undecided[symbol] = now }
    }

    private func isConfirmed(_ opinion: Opinion, for symbol: Symbol, at now: Instant) -> Bool {
        guard let tolerance, let last = last[symbol] else { return false }
        return last.contains { other in
            guard let other, !other.isOutvoted, other.isValid(at: now) else { return false }
            return other.opinion.confirms(opinion, within: tolerance)
        }
    }
}
