/// The answer to one tick: a quote and its source, or failures, or both if a fallback gave the quote.
public struct Reading: Record, Hashable {
    public var tick: Int?
    public var at: Timestamp?
    public var symbol: Symbol?
    /// The length of the requested candle, which begins at `at`.
    public var candle: Candle?
    /// The source of the quote; never nil when there is a quote.
    public var source: String?
    public var quote: Quote?
    /// The attempts that gave no quote, in the order of the attempts.
    public var failures: [Failure]
    /// The error flag: true when this tick got no new quote and `quote` is the last known one.
    public var error: Bool?

    private init(_ tick: Tick, _ source: String?, _ quote: Quote?, _ failures: [Failure], error: Bool? = nil)
    {
        (self.tick, at, symbol, candle) = (tick.number, tick.at, tick.symbol, tick.candle)
        self.source = source
        self.quote = quote
        self.failures = failures
        self.error = error
    }

    /// A reading with a quote, and with the failures of the sources that were tried before the one that gave
    /// it.
    public init(answering tick: Tick, _ quote: Quote, from source: String, after failures: [Failure] = []) {
        self.init(tick, source, quote, failures)
    }

    /// A reading without a quote, and with at least one failure that gives the reason.
    public init(answering tick: Tick, _ failures: [Failure]) {
        self.init(tick, nil, nil, failures)
    }

    public init(_ json: inout JSONReader) throws(InvalidInput) {
        var tick = Tick()
        var (source, quote, failures, error): (String?, Quote?, [Failure], Bool?) = (nil, nil, [], nil)
        try json.object { (name, json) throws(InvalidInput) in
            switch name {
            case "source": source = try json.text().map { printable($0, atMost: 64) }
            case "quote": quote = try json.record()
            case "failures": failures = try json.records()
            case "error": error = try json.flag()
            default: try tick.readMember(name, &json)
            }
        }
        if quote != nil, source == nil { throw InvalidInput("has a quote but no source") }
        if quote == nil, failures.isEmpty, error != true {
            throw InvalidInput("has neither a quote nor a failure")
        }
        self.init(tick, source, quote, failures, error: error)
    }

    /// The symbol that is priced; the default is bitcoin.
    public var pricedSymbol: Symbol { symbol ?? .bitcoin }

    /// Whether this tick got a new quote.
    public var isFresh: Bool {
        quote != nil && error != true
    }

    /// The failure that lists the sources that contradict the quote; nil if it is not disputed.
    public var dispute: Failure? {
        guard quote != nil else { return nil }
        return failures.first { $0.kind == .disputed && $0.source == source }
    }

    public func addMembers(to object: inout ByteBuffer) {
        Tick(number: tick, at: at, symbol: symbol, candle: candle).addMembers(to: &object)
        object.add("source", source)
        object.add("quote", quote)
        if !failures.isEmpty { object.add("failures", failures) }
        object.add("error", error)
    }
}
