import PipeCommon

/// Gathers the readings of each beat. A beat is due when every symbol has answered it or a later one; otherwise
/// after one interval, but at least one second and at most ten. Beats stay in order. How many symbols will answer
/// the first beat is not known: it is due when none has answered for a while, or when the second beat begins. Pure.
struct BeatGatherer {
    private struct Open {
        var beat: Beat
        var missing: Set<Symbol>
        var end: Deadline
    }

    /// The shortest and the longest time that a beat waits for a symbol, in milliseconds.
    private static let patience = 1000...10_000

    private var beats = Beats()
    private var open: [Open] = []
    private var isFirst = true
    private let firstPatience: Duration

    /// - Parameter firstPatience: how long the first beat waits for another symbol.
    init(firstPatience: Duration) {
        self.firstPatience = firstPatience
    }

    /// All symbols that are requested, in the order in which they appeared.
    var symbols: [Symbol] { beats.symbols }

    /// The time at which the next beat is due at the latest; nil when none is open.
    var deadline: Deadline? { open.first?.end }

    private var patience: Int {
        min(max(beats.interval ?? 0, Self.patience.lowerBound), Self.patience.upperBound)
    }

    /// - Returns: the beats that are due; nil if the reading is late, because its beat has already been returned.
    mutating func record(_ reading: Reading, at now: Deadline.Instant) -> [Beat]? {
        let former = beats.at
        var due: [Beat] = []
        if beats.record(reading) == .new {
            // After the wall clock was set back, the earlier beats get no more answers.
            let isInOrder = former.flatMap { former in reading.at.map { former < $0 } } ?? false
            if !isInOrder { due = takeDue(at: nil) }
            let gone = beats.takeGone()
            if !gone.isEmpty { for index in open.indices { open[index].missing.subtract(gone) } }
            let end = Deadline(in: isFirst ? firstPatience : .milliseconds(patience), from: now)
            open.append(Open(beat: Beat(reading), missing: Set(symbols), end: end))
        }
        guard let index = open.lastIndex(where: { $0.beat.includes(reading) }) else { return nil }
        open[index].beat.readings[reading.pricedSymbol] = reading
        for earlier in 0...index { open[earlier].missing.remove(reading.pricedSymbol) }
        if isFirst, open.count == 1 { open[index].end = Deadline(in: firstPatience, from: now) }
        return due + takeDue(at: now)
    }

    /// - Parameter now: nil at the end of the input.
    /// - Returns: the beats that are complete or whose time is up; at the end of the input, all that are left.
    mutating func takeDue(at now: Deadline.Instant?) -> [Beat] {
        var count = 0
        while count < open.count, isDue(open[count], isLast: count == open.count - 1, now) {
            (count, isFirst) = (count + 1, false)
        }
        defer { open.removeFirst(count) }
        return open.prefix(count).map(\.beat)
    }

    private func isDue(_ open: Open, isLast: Bool, _ now: Deadline.Instant?) -> Bool {
        guard let now, !open.end.hasPassed(at: now) else { return true }
        if open.missing.isEmpty, !(isFirst && isLast) { return true }
        // In a recording, only the time between its beats passes.
        guard let time = open.beat.at, let newest = beats.at else { return false }
        return newest.milliseconds - time.milliseconds >= patience
    }
}
