/// One beat of the clock: `{"tick":12,"at":"2026-11-21T14:03:07.000Z"}`. Every member may be absent.
public struct Tick: Record, Hashable {
    public var number: Int?
    /// When the tick was due; absent, it is due now.
    public var at: Timestamp?
    public var symbol: Symbol?
    /// In a tick handed to a source, how long its answer is worth waiting for: whole milliseconds, above 0.
    public var timeout: Duration?

    public init(number: Int? = nil, at: Timestamp? = nil, symbol: Symbol? = nil, timeout: Duration? = nil) {
        self.number = number
        self.at = at
        self.symbol = symbol
        self.timeout = timeout
    }

    /// What is to be priced: its symbol, and bitcoin where none is named.
    public var pricedSymbol: Symbol { symbol ?? .bitcoin }

    public init(_ members: inout Members) throws(InvalidInput) {
        number = try members.count("tick", from: 0)
        at = try members.text("at", "a UTC time with 3 decimals")
        symbol = try members.text("symbol", "a symbol")
        timeout = try members.count("timeout_ms", from: 1).map { .milliseconds($0) }
    }

    public func addMembers(to object: inout ByteBuffer) {
        object.add("tick", number)
        object.add("at", at)
        object.add("symbol", symbol?.name)
        object.add("timeout_ms", timeout?.milliseconds)
    }
}
