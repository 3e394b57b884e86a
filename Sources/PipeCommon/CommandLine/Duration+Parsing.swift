extension Duration {
    /// Whole milliseconds, rounded down.
    public var milliseconds: Int {
        let (seconds, attoseconds) = components
        return Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    }

    /// Parses `800ms`, `1s`, `1.5m`, `2h` or `7d`; a bare number is seconds. No sign is allowed, and at most
    /// 9 digits on each side of the point.
    public init?(parsing text: String) {
        let number = text.prefix { $0 == "." || $0.isASCII && $0.isNumber }
        let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let nanoseconds = Self.unitNanoseconds[String(text.dropFirst(number.count))],
            parts.allSatisfy({ (1...9).contains($0.count) }),
            let whole = Int(parts[0]), let fraction = Int((parts.count > 1 ? parts[1] : "0").padded(to: 9))
        else { return nil }
        self = .nanoseconds(whole) * nanoseconds + .nanoseconds(fraction) * nanoseconds / 1_000_000_000
    }

    private static let unitNanoseconds: [String: Int] = [
        "ms": 1_000_000, "s": 1_000_000_000, "": 1_000_000_000, "m": 60_000_000_000, "h": 3_600_000_000_000,
        "d": 86_400_000_000_000,
    ]
}

extension Substring {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: "0", count: Swift.max(0, count - self.count))
    }
}
