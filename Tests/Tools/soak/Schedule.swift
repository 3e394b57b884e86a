import TestSupport

/// What goes wrong when: a pure function of the seed.
struct Schedule {
    /// How a source's server is for a while.
    enum Weather: CaseIterable {
        case good, slow, tooSlow, silent, garbage, status, reset, limited, dripping
        /// Closes in the middle of the header, which ends a fetcher.
        case halfHeader
    }

    enum Victim: CaseIterable {
        case primary, fallback, lastFallback
        case clockStage, fallbackStage, cacheStage, formatStage

        var isSource: Bool { [.primary, .fallback, .lastFallback].contains(self) }
    }

    private struct Window {
        let end: Int
        let weather: Weather
    }

    /// From this tick on nothing is killed.
    let calm: Int
    /// The programs to kill, by tick.
    private(set) var kills: [Int: Victim] = [:]
    private var windows: [[Window]] = []

    init(seed: UInt64, ticks: Int) {
        var random = SeededRandom(seed)
        calm = ticks / 3
        // The number of good windows among ten of a source.
        for good in [5, 6, 6] {
            var (end, list) = (0, [Window]())
            while end < ticks {
                end += Int.random(in: 20...200, using: &random)
                let isGood = Int.random(in: 0..<10, using: &random) < good
                let weather = isGood ? .good : Weather.allCases.randomElement(using: &random)!
                list.append(Window(end: end, weather: weather))
            }
            windows.append(list)
        }
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
        let weather = window(of: source, at: tick)
        return weather == .halfHeader && tick >= calm ? .reset : weather
    }

    private func window(of source: Int, at tick: Int) -> Weather {
        let list = windows[source]
        var (low, high) = (0, list.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].end > tick { high = middle } else { low = middle + 1 }
        }
        return list[low].weather
    }
}
