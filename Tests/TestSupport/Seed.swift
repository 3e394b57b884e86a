import Foundation

/// The seed of a random search: a new one in each run, or the one in `BTC_PRICE_SEED`, which repeats a run.
public enum Seed {
    public static let value: UInt64 =
        ProcessInfo.processInfo.environment["BTC_PRICE_SEED"].flatMap { UInt64($0) }
        ?? .random(in: 1...1_000_000)

    /// What to show with a failure.
    public static let text = "BTC_PRICE_SEED=\(value)"
}
