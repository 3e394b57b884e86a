/// The answer to one tick. It contains a quote with its source, one or more failures, or both. For example, it contains
/// both if the primary failed and a fallback provided the quote. Only a reading whose error flag is true may contain
/// neither.
public struct Reading: Record, Hashable {
    /// The tick's number, time and symbol; each may be nil.
    public var tick: Int?
    public var at: Timestamp?
    public var symbol: Symbol?
    /// The length of the requested candle, which begins at `at`; nil if the tick requested the current price.
    public var candle: Candle?
    /// The source of the quote; never nil when there is a quote.
    public var source: String?
    public var quote: Quote? {
        get { core.map { Quote($0, ranges) } }
        set { (core, ranges) = (newValue?.core, newValue?.ranges ?? []) }
    }
    // The quote is stored in two parts, so that the first part can be copied as plain bytes.
    private var core: Quote.Core?
    private var ranges: [CandleRange] = []
    public var hasQuote: Bool { core != nil }
    /// The reports of failed attempts and of disputed quotes.
    public var failures: [Failure]
    /// The error flag, which price-cache sets; nil until it is set. It is true if this tick got no new quote; `quote`
    /// is then the last known quote, or nil if no quote is known or `--max-age` excludes that quote.
    public var error: Bool?
    /// Whether `quote` is the final close of a candle that has ended. If a candle was requested and this is false, the
    /// candle's price may still change.
    public var isClosed = false
    /// The prices that were compared for this tick, in the order of the sources. Without `--median`, and for candles,
    /// the list is empty unless sources contradicted each other or the reading from the quote's source contained a
    /// list.
    public var prices: [SourcePrice] = []
    /// Whether the quote comes from a store that acts as a source. Such a quote repeats an earlier quote, so it cannot
    /// confirm another source's price.
    public var isStored = false
    /// Whether the price is made up, as in the demo.
    public var isMadeUp = false
    /// `disputed`: true if the quote's source marked the quote as disputed, or if sources contradicted each other and a
    /// vote ended without a winner; false if failures of the kind `disputed` are listed but the quote is new and not in
    /// dispute; otherwise nil.
    public var ownDispute: Bool?

    private init(_ tick: Tick, _ source: String?, _ quote: Quote?, _ failures: [Failure]) {
        (self.tick, at, symbol, candle) = (tick.number, tick.at, tick.symbol, tick.candle)
        self.source = source
        (core, ranges) = (quote?.core, quote?.ranges ?? [])
        self.failures = failures
    }

    /// Creates a reading with a quote and with the failures to report, for example the failures of sources that were
    /// tried earlier.
    public init(answering tick: Tick, _ quote: Quote, from source: String, after failures: [Failure] = []) {
        self.init(tick, source, quote, failures)
    }

    /// Creates a reading without a quote. `failures` contains the reason and must not be empty.
    public init(answering tick: Tick, _ failures: [Failure]) {
        self.init(tick, nil, nil, failures)
    }

    /// Reads a reading. Unknown members are skipped.
    ///
    /// - Throws: `InvalidInput` if the value is not a valid object, if a known member is invalid, if there is a quote
    ///   without a source, or if there is neither a quote nor a failure and the error flag is not true.
    public init(_ json: inout JSONReader) throws(InvalidInput) {
        var tick = Tick()
        failures = []
        try json.object { (name, json) throws(InvalidInput) in
            switch name {
            case "source": source = try json.sourceName()
            case "quote":
                let quote: Quote? = try json.record()
                (core, ranges) = (quote?.core, quote?.ranges ?? [])
            case "failures": failures = try json.records()
            case "error": error = try json.flag()
            case "closed": isClosed = try json.flag() == true
            case "prices": prices = try json.records()
            case "stored": isStored = try json.flag() == true
            case "made_up": isMadeUp = try json.flag() == true
            case "disputed": ownDispute = try json.flag()
            default: try tick.readMember(name, &json)
            }
        }
        (self.tick, at, symbol, candle) = (tick.number, tick.at, tick.symbol, tick.candle)
        if hasQuote, source == nil { throw InvalidInput("contains a quote but no source") }
        if !hasQuote, failures.isEmpty, error != true {
            throw InvalidInput("contains neither a quote nor a failure")
        }
    }

    /// The symbol that is priced; the default is BTC-USD.
    public var pricedSymbol: Symbol { symbol ?? .bitcoin }

    /// Whether this tick got a new quote. A quote from a store that acts as a source counts as new.
    public var isFresh: Bool {
        hasQuote && error != true
    }

    /// Whether the quote is new and the sources could not agree on it. If the member `disputed` is missing, a failure
    /// of the kind `disputed` from the quote's source marks the quote as disputed.
    public var isDisputed: Bool {
        guard isFresh else { return false }
        return ownDispute ?? failures.contains { $0.kind == .disputed && $0.source == source }
    }

    public func addMembers(to object: inout ByteBuffer) {
        Tick(number: tick, at: at, symbol: symbol, candle: candle).addMembers(to: &object)
        object.add("source", source)
        object.add("quote", quote)
        if !failures.isEmpty { object.add("failures", failures) }
        object.add("error", error)
        if isClosed { object.add("closed", true) }
        if !prices.isEmpty { object.add("prices", prices) }
        if isStored { object.add("stored", true) }
        if isMadeUp { object.add("made_up", true) }
        object.add("disputed", ownDispute)
    }
}

/// One of the prices in `Reading.prices`, with its source: `{"source":"binance","value":"27550.00"}`. All of these
/// prices are in the same currency. If the tick got a new quote, this is the currency of the quote.
public struct SourcePrice: Record, Hashable {
    public let source: String
    public let price: Price

    public init(source: String, price: Price) {
        (self.source, self.price) = (printable(source, atMost: 64), price)
    }

    @inline(__always)
    public init(_ json: inout JSONReader) throws(InvalidInput) {
        var (source, price): (String?, Price?) = (nil, nil)
        try json.object { (name, json) throws(InvalidInput) in
            switch name {
            case "source": source = try json.text()
            case "value": price = try json.value("a price")
            default: break
            }
        }
        self.init(source: try required(source, "source"), price: try required(price, "value"))
    }

    public func addMembers(to object: inout ByteBuffer) {
        object.add("source", source)
        object.add("value", price)
    }
}
