/// A price that holds what it is of: an exchange, a symbol and the number of a request, each in digits of its own, and
/// after the point two digits by which a price that was cut or put together is found out.
public struct TracedPrice: Hashable, Sendable {
    public let exchange: Int
    public let symbol: Int
    public let request: Int

    /// - Parameters:
    ///   - exchange: 1 to 9.
    ///   - symbol: 0 to 99.
    ///   - request: below ten million.
    public init(exchange: Int, symbol: Int, request: Int) {
        (self.exchange, self.symbol, self.request) = (exchange, symbol, request)
    }

    /// - Returns: nil for a price that no exchange has made.
    public init?(_ text: String) {
        guard let digits = text.split(separator: ".").first.flatMap({ Int($0) }) else { return nil }
        self.init(
            exchange: digits / 1_000_000_000, symbol: digits / 10_000_000 % 100, request: digits % 10_000_000)
        guard self.text == text else { return nil }
    }

    public var text: String {
        let check = digits % 89 + 10
        return "\(digits).\(check)"
    }

    private var digits: Int { (exchange * 100 + symbol) * 10_000_000 + request }
}
