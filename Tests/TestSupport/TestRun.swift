import Foundation

/// The amount of work in tests whose size is adjustable: a little in a normal run, the full amount with
/// `scripts/soak --rows`. Without optimization, these tests take about five times as long, so with
/// `scripts/test --fast`, they do only a quarter or a fifth of the work of a normal run.
public enum FullSize {
    public static let isWanted = ProcessInfo.processInfo.environment["BTC_PRICE_SOAK"] != nil

    /// The step of a loop over all sizes or all bits: without optimization, a normal run tests only every fifth value.
    public static let step = !isWanted && _isDebugAssertConfiguration() ? 5 : 1

    /// The size of a test: `full` with `scripts/soak --rows`, and otherwise `short` or, without optimization, a quarter
    /// of `short`, rounded up.
    public static func count(short: Int, full: Int) -> Int {
        isWanted ? full : _isDebugAssertConfiguration() ? (short + 3) / 4 : short
    }
}

/// The seed of the random tests. In normal runs, it is fixed, so that only code changes affect the result.
/// Each run of `scripts/soak --rows` uses a new seed. `BTC_PRICE_SEED` overrides the seed in both kinds of runs.
public enum Seed {
    public static let value: UInt64 =
        ProcessInfo.processInfo.environment["BTC_PRICE_SEED"].flatMap { UInt64($0) }
        ?? (FullSize.isWanted ? .random(in: 1...1_000_000) : 2026)

    /// Printed with a failure, so that the failure can be reproduced.
    public static let text = "BTC_PRICE_SEED=\(value)"
}

/// Whether the tests run on Linux, which has `/proc`.
#if os(Linux)
    public let isLinux = true
#else
    public let isLinux = false
#endif

/// Locales with a decimal comma; in the Turkish locale, "i" is not the lowercase form of "I".
public enum ForeignLocale {
    public static let names = ["de_DE.UTF-8", "tr_TR.UTF-8"]

    /// Whether these locales are installed. If not, a test would prove nothing, because the C library ignores an
    /// unknown locale.
    public static let areInstalled = names.allSatisfy { name in
        RunningProgram.run("bash", ["-c", "printf %.1f 1"], environment: ["LC_ALL": name]).output == "1,0"
    }
}
