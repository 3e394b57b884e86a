/// The answer to one tick: a quote and who gave it, or the failures, or (rescued by a fallback) both.
public struct Reading: Record, Hashable {
    public var tick: Int?
    public var at: Timestamp?
    public var symbol: Symbol?
    /// Who gave the quote; there whenever a quote is.
    public var source: String?
    public var quote: Quote?
    /// The attempts that gave no quote, in the order in which they were tried.
    public var failures: [Failure]
    /// The error flag: true when this tick got no new quote, and `quote` is the last known one.
    public var error: Bool?

    private init(_ tick: Tick, _ source: String?, _ quote: Quote?, _ failures: [Failure], error: Bool? = nil)
    {
        (self.tick, at, symbol) = (tick.number, tick.at, tick.symbol)
        self.source = source
        self.quote = quote
        self.failures = failures
        self.error = error
    }

    /// A quote, and the failures of the sources that were tried before the one that gave it.
    public init(answering tick: Tick, _ quote: Quote, from source: String, after failures: [Failure] = []) {
        self.init(tick, source, quote, failures)
    }

    /// No quote, and at least one failure that says why.
    public init(answering tick: Tick, _ failures: [Failure]) {
        self.init(tick, nil, nil, failures)
    }

    public init(_ members: inout Members) throws(InvalidInput) {
        let tick = try Tick(&members)
        let source = try members.text("source").map { printable($0, atMost: 64) }
        let quote = try members.record("quote", as: Quote.self)
        let failures = try members.records("failures", as: Failure.self)
        let error = try members.flag("error")
        if quote != nil, source == nil { throw InvalidInput("a quote without a source") }
        if quote == nil, failures.isEmpty, error != true {
            throw InvalidInput("neither a quote nor a failure")
        }
        self.init(tick, source, quote, failures, error: error)
    }

    /// What is priced: its symbol, and bitcoin where none is named.
    public var pricedSymbol: Symbol { symbol ?? .bitcoin }

    /// Whether this tick got a new quote.
    public var isFresh: Bool {
        quote != nil && error != true
    }

    public func addMembers(to object: inout ByteBuffer) {
        Tick(number: tick, at: at, symbol: symbol).addMembers(to: &object)
        object.add("source", source)
        object.add("quote", quote)
        if !failures.isEmpty { object.add("failures", failures) }
        object.add("error", error)
    }
}
