import Foundation

/// How much a test does that could go on for ever: little in the usual run, all of it in a soak.
public enum FullSize {
    public static let isWanted = ProcessInfo.processInfo.environment["BTC_PRICE_SOAK"] != nil

    public static func count(short: Int, full: Int) -> Int { isWanted ? full : short }
}

/// The seed of a random search: the same in each usual run, so that a change is judged by what it changes, a new one in
/// each soak, or the one in `BTC_PRICE_SEED`.
public enum Seed {
    public static let value: UInt64 =
        ProcessInfo.processInfo.environment["BTC_PRICE_SEED"].flatMap { UInt64($0) }
        ?? (FullSize.isWanted ? .random(in: 1...1_000_000) : 2026)

    /// What to show with a failure.
    public static let text = "BTC_PRICE_SEED=\(value)"
}

/// Whether the tests run on Linux, with its `/proc`.
#if os(Linux)
    public let isLinux = true
#else
    public let isLinux = false
#endif

/// Locales in which numbers have a decimal comma, and, in Turkish, "i" is not the small letter of "I".
public enum ForeignLocale {
    public static let names = ["de_DE.UTF-8", "tr_TR.UTF-8"]

    /// Whether the C library has them: a name that it does not know is as good as none, so a test would see nothing.
    public static let areInstalled = names.allSatisfy { name in
        RunningProgram.run("bash", ["-c", "printf %.1f 1"], environment: ["LC_ALL": name]).output == "1,0"
    }
}
