import TestSupport

/// The faults at each tick. They depend only on the seed, the number of ticks and the ways in which each
/// exchange may answer.
struct Schedule: Sendable {
    /// How the name server of the last exchange behaves during a series of ticks.
    enum Naming: CaseIterable, Sendable {
        case good, slow, silent
        /// The name server returns two addresses, and no server answers at the first address.
        case deadFirst
    }

    /// From this tick on, no program is killed.
    let calm: Int
    /// The programs to kill, by tick, as positions in `Pipeline.programs`.
    private(set) var kills: [Int: Int] = [:]
    private let manners: [[Manner]]
    /// How each exchange answers all requests at each tick; nil if the manner changes with each request.
    private let weather: [[Manner?]]
    /// How the name server behaves, by tick.
    let naming: [Naming]

    /// - Parameter manners: the ways in which each exchange may answer.
    init(seed: UInt64, ticks: Int, manners: [[Manner]]) {
        var random = SeededRandom(seed)
        calm = ticks / 3
        self.manners = manners
        let longest = min(max(ticks / 10, 2), 200)
        weather = manners.map { manners in
            Self.windows(ticks, 1...longest, &random) { random in
                switch Int.random(in: 0..<10, using: &random) {
                case ..<4: .plain
                case ..<7: nil
                default: manners.randomElement(using: &random)
                }
            }
        }
        naming = Self.windows(ticks, longest...longest * 5, &random) {
            Naming.allCases.randomElement(using: &$0)!
        }
        // In a soak of fewer than 300 ticks, no program is killed.
        let gap = min(calm / 8, 100)...min(calm / 2, 600)
        var tick = 0
        while ticks >= 300 {
            tick += Int.random(in: gap, using: &random)
            guard tick < calm else { break }
            // On average, one victim in four is a stage. Killing a stage ends the pipeline.
            let isStage = Int.random(in: 0..<4, using: &random) == 0
            let (stages, sources) = (
                0..<Pipeline.stages.count, Pipeline.stages.count..<Pipeline.stages.count + manners.count
            )
            kills[tick] = Int.random(in: isStage ? stages : sources, using: &random)
        }
    }

    /// How an exchange answers its next request. If the manner changes with each request, on average at least
    /// half of the answers are plain.
    func manner(of exchange: Int, at tick: Int, _ random: inout SeededRandom) -> Manner {
        if let manner = weather[exchange][tick] { return manner }
        return Bool.random(using: &random) ? .plain : manners[exchange].randomElement(using: &random)!
    }

    /// A value for each tick. Each value that is drawn applies to a random number of consecutive ticks.
    private static func windows<Kind>(
        _ ticks: Int, _ length: ClosedRange<Int>, _ random: inout SeededRandom,
        _ kind: (inout SeededRandom) -> Kind
    ) -> [Kind] {
        var kinds: [Kind] = []
        while kinds.count < ticks {
            let length = Int.random(in: length, using: &random)
            kinds += Array(repeating: kind(&random), count: length)
        }
        return kinds
    }
}
