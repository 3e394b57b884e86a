import Foundation

/// How much work a test does that could go on forever: little in a normal run, all of it in a soak.
public enum FullSize {
    public static let isWanted = ProcessInfo.processInfo.environment["BTC_PRICE_SOAK"] != nil

    public static func count(short: Int, full: Int) -> Int { isWanted ? full : short }
}

/// The seed of random searches: fixed in a normal run, so that only a change to the code changes the result;
/// random in a soak, unless `BTC_PRICE_SEED` is set.
public enum Seed {
    public static let value: UInt64 =
        ProcessInfo.processInfo.environment["BTC_PRICE_SEED"].flatMap { UInt64($0) }
        ?? (FullSize.isWanted ? .random(in: 1...1_000_000) : 2026)

    /// Shown with a failure.
    public static let text = "BTC_PRICE_SEED=\(value)"
}

/// Whether the tests run on Linux, which has `/proc`.
#if os(Linux)
    public let isLinux = true
#else
    public let isLinux = false
#endif

/// Locales in which numbers have a decimal comma; in the Turkish one, moreover, "i" is not the lower case of
/// "I".
public enum ForeignLocale {
    public static let names = ["de_DE.UTF-8", "tr_TR.UTF-8"]

    /// Whether the C library has them. It silently ignores the name of a locale that it does not have, so a
    /// test would prove nothing.
    public static let areInstalled = names.allSatisfy { name in
        RunningProgram.run("bash", ["-c", "printf %.1f 1"], environment: ["LC_ALL": name]).output == "1,0"
    }
}
