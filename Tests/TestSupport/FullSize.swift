import Foundation

/// How much a test does that could go on for ever: little in the usual run, all of it in a soak.
public enum FullSize {
    public static let isWanted = ProcessInfo.processInfo.environment["BTC_PRICE_SOAK"] != nil

    public static func count(short: Int, full: Int) -> Int { isWanted ? full : short }
}
