import TestSupport

/// What goes wrong when: a pure function of the seed, by tick.
struct Schedule: Sendable {
    /// How a source's server is for a while.
    enum Weather: CaseIterable, Sendable {
        case good, slow, tooSlow, silent, garbage, status, reset, limited, dripping
        /// Good answers, each of them with more bytes after it that no request has asked for.
        case unasked
        /// Good answers in chunks, with a trailer.
        case trailer
        /// Closes in the middle of the header, which ends a fetcher.
        case halfHeader
    }

    /// How the name server is for a while that the last source needs.
    enum Naming: CaseIterable, Sendable {
        case good, slow, silent
        /// Of two addresses, the first one is dead.
        case deadFirst
    }

    enum Victim: CaseIterable, Sendable {
        case primary, fallback, lastFallback
        case clockStage, fallbackStage, cacheStage, formatStage

        var isSource: Bool { [.primary, .fallback, .lastFallback].contains(self) }
    }

    /// What happens until a tick.
    private struct Window<Kind: Sendable>: Sendable {
        let end: Int
        let kind: Kind
    }

    /// From this tick on nothing is killed.
    let calm: Int
    /// The programs to kill, by tick.
    private(set) var kills: [Int: Victim] = [:]
    private var weather: [[Window<Weather>]] = []
    private var naming: [Window<Naming>] = []

    init(seed: UInt64, ticks: Int) {
        var random = SeededRandom(seed)
        calm = ticks / 3
        // The number of good windows among ten of a source.
        for good in [5, 6, 6] {
            weather.append(Self.windows(ticks, 20...200, &random) { $0 < good ? .good : nil })
        }
        naming = Self.windows(ticks, 200...1000, &random) { _ in nil }
        var tick = 0
        while true {
            tick += Int.random(in: 100...600, using: &random)
            guard tick < calm else { break }
            // One in four is a stage, which ends the pipeline.
            let isSource = Int.random(in: 0..<4, using: &random) > 0
            kills[tick] = Victim.allCases.filter { $0.isSource == isSource }.randomElement(using: &random)!
        }
    }

    func weather(of source: Int, at tick: Int) -> Weather {
        let weather = Self.kind(weather[source], at: tick)
        return weather == .halfHeader && tick >= calm ? .reset : weather
    }

    func naming(at tick: Int) -> Naming {
        Self.kind(naming, at: tick)
    }

    /// - Parameter choice: the kind of a window for a number below ten; nil for a random one.
    private static func windows<Kind: CaseIterable & Sendable>(
        _ ticks: Int, _ length: ClosedRange<Int>, _ random: inout SeededRandom, _ choice: (Int) -> Kind?
    ) -> [Window<Kind>] {
        var (end, windows) = (0, [Window<Kind>]())
        while end < ticks {
            end += Int.random(in: length, using: &random)
            let kind =
                choice(Int.random(in: 0..<10, using: &random))
                ?? Array(Kind.allCases).randomElement(using: &random)!
            windows.append(Window(end: end, kind: kind))
        }
        return windows
    }

    private static func kind<Kind: Sendable>(_ windows: [Window<Kind>], at tick: Int) -> Kind {
        var (low, high) = (0, windows.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if windows[middle].end > tick { high = middle } else { low = middle + 1 }
        }
        return windows[low].kind
    }
}
