import PipeCommon

struct FetchOptions: CommandOptions {
    var timeout = Duration.milliseconds(800)
    private var base: WebAddress?
    private var url: String?
    private var price: JSONPointer?
    private var stream: String?
    private var isPushed = false
    private var seed: UInt64?
    private var maxAge = Duration.seconds(5)
    private var name: String?
    private var typedSymbol: String?
    var isOnce = false
    private var isListing = false
    private var sources: [String] = []
    /// The origin of the prices, set by `validate`; nil with `--list`.
    private(set) var origin: Origin?
    /// The symbol given with `--symbol`, set by `validate`; nil if this option was not given or if `--list` was given.
    private(set) var symbol: Symbol?
    /// The only symbol whose price the source provides. Nil unless the prices come from a stream or are polled from the
    /// URL in `--url`; other sources are not limited to one symbol.
    private(set) var onlySymbol: Symbol?

    init() {}

    static let command = Command<FetchOptions>(
        "price-fetch", "fetches the price of bitcoin or another asset from one source, one reading per tick",
        calls: [
            "[--timeout DURATION] [--base URL | --url URL] [--symbol SYMBOL] [--once] SOURCE",
            "--push [--timeout DURATION] [--max-age DURATION] [--url URL] [--symbol SYMBOL] [--once] SOURCE",
            "[--timeout DURATION] [--url URL] [--seed N] [--symbol SYMBOL] [--once] echo",
            "[--timeout DURATION] --url URL --price POINTER [--symbol SYMBOL] [--name NAME] [--once]",
            "[--timeout DURATION] --stream COMMAND --price POINTER [--symbol SYMBOL] [--max-age DURATION] [--name NAME] [--once]",
            "--list",
        ],
        options: [
            Option(
                "--timeout", "DURATION", \.timeout, .duration(),
                "wait at most DURATION for the complete answer"
            ).explained("A tick's own timeout_ms is used instead if it is shorter."),
            Option(
                "--base", "URL", \.base,
                ValueForm(
                    "a URL without a query, such as https://data-api.binance.vision", parse: PriceSource.base),
                "send the requests for all symbols to the host in URL instead of SOURCE's own host"
            ).explained(
                """
                URL must not contain a query.
                If URL contains a path, SOURCE's paths are appended to that path.
                """
            ).excluding("--url", "--price", "--stream", "--push"),
            Option(
                "--url", "URL", \.url, .text("a URL such as https://example.com/price.json"),
                "query this http(s) URL instead of SOURCE's own; URL must return one symbol's price in SOURCE's format"
            ).explained(
                """
                With --price, URL may return any JSON document.
                With --push or echo, URL must be a ws(s) URL and is used for all symbols.
                """),
            Option(
                "--push", \.isPushed,
                "subscribe to SOURCE's push feed and answer each tick with the feed's latest price"
            ).excluding("--price", "--stream"),
            Option(
                "--price", "POINTER", \.price,
                ValueForm("a JSON Pointer such as /data/price", parse: JSONPointer.init),
                "read the price at POINTER, a JSON Pointer such as /data/0/last"
            ).excluding("SOURCE").requiring("--url", "--stream"),
            Option(
                "--stream", "COMMAND", \.stream, .text("a shell command"),
                "run COMMAND and use the latest price that it prints (one JSON message per line)"
            ).explained("A line longer than 64 KiB is ignored.").excluding("--url", "SOURCE").requiring(
                "--price"),
            Option(
                "--max-age", "DURATION", \.maxAge, .duration(),
                "with --push or --stream, ignore a price whose age is at least DURATION"
            ).explained(
                """
                With --stream, the age is measured from the moment when price-fetch reads the price.
                With --push, the age is measured from the latest price or heartbeat on the same connection or, for a polled price, from the answer to the poll.
                """
            ).requiring("--stream", "--push"),
            Option(
                "--seed", "N", \.seed, ValueForm("a whole number", parse: { UInt64($0) }),
                "with echo, make up each symbol's prices from the seed N; the same seed gives the same prices"
            ).excluding("--price", "--stream", "--push", "--base"),
            Option(
                "--name", "NAME", \.name, ValueForm("1 to 64 printable characters", parse: sourceName),
                "with --price, report NAME as the source",
                default: "the host of --url; with --stream, the word stream"
            ).requiring("--price"),
            Option(
                "--symbol", "SYMBOL", \.typedSymbol, .text("a symbol such as BTC-USD"),
                "with --once, request SYMBOL; with --stream or a polled --url, provide prices only for SYMBOL",
                default: "BTC-USD"
            ).explained(
                "This option requires --once, --url or --stream; with --push or echo, it requires --once."),
            Option(
                "--once", \.isOnce,
                "request one price without reading ticks; exit with status 69 if there is no quote"),
            Option("--list", \.isListing, "list the known sources and their abilities, then exit")
                .explained(
                    """
                    Each line contains a source's name, a tab, and the source's abilities.
                    The abilities are poll, several (several symbols in one request), push, candles and made-up (the prices are made up).
                    """),
        ],
        operands: Operands("SOURCE", \.sources),
        notes: """
            price-fetch reads ticks and writes a reading for each tick as soon as the result
            is known.

            Some exchanges quote prices in USDT instead of USD, and 1 USDT counts as 1 USD.
            In this case, the quote's member "market" contains USDT.

            A tick with a candle requests the candle's closing price. --list shows the
            sources that offer candles.

            The prices of echo are made up: each price is sent to a WebSocket echo server,
            and the echo becomes the quote.

            CRYPTOCOMPARE_API_KEY: the key for CryptoCompare, which is sent in a request
            header over https or to a loopback address.
            """)

    mutating func validate() throws(UsageError) {
        if isListing { return }
        symbol = try typedSymbol.map { text throws(UsageError) in
            try Self.symbol(text, isPair: price == nil && sources != [EchoFeed.name])
        }
        let origin = try validOrigin()
        let pricesOne = stream != nil || url != nil && origin.isPolled
        if let symbol, !isOnce, !pricesOne {
            let example = "price-clock --symbol \(symbol.text) | \(suggestedCommand) \(origin.name)"
            throw UsageError(
                "--symbol requires --once, --stream or --url (with --push or echo: --once); "
                    + "otherwise, the ticks must contain the symbol, as in '\(example)'")
        }
        self.origin = origin
        if pricesOne { onlySymbol = symbol ?? .bitcoin }
    }

    /// The error for a tick that requests a symbol other than `onlySymbol`, or that requests a candle although `origin`
    /// does not offer candles; nil for any other tick.
    func refusal(of tick: Tick) -> FetchError? {
        let reason: String
        if tick.candle != nil, origin?.hasCandles != true {
            let option = isPushed ? " with --push" : url != nil ? " with --url" : ""
            reason = "does not provide candles\(option)"
        } else if let onlySymbol, tick.pricedSymbol != onlySymbol {
            reason = "provides prices only for \(onlySymbol.text)"
        } else {
            return nil
        }
        return FetchError(.unsupported, reason, retry: RetryAfter.usual)
    }

    private func validOrigin() throws(UsageError) -> Origin {
        if let stream, let price {
            let price = StreamedPrice(at: price, maxAge: maxAge)
            return .stream(command: stream, name: name ?? "stream", price: price)
        }
        if let price, let url = try webAddress() {
            return .source(.custom(name: name ?? url.host, url: url, price: price))
        }
        if url != nil, sources.isEmpty {
            throw UsageError("--url requires SOURCE or --price, as in '--price /data/0/last'")
        }
        let name = try sourceOperand()
        if isPushed {
            let (source, push) = try Self.pushSource(name)
            return .push(source, push, at: try socketAddress(), maxAge: maxAge)
        }
        guard let source = PriceSource.all.first(where: { $0.name == name }) else {
            if base != nil { throw UsageError("--base cannot be combined with echo: use --url") }
            let address = try socketAddress() ?? EchoFeed.address
            return .echo(at: address, seed: seed ?? UInt64.random(in: 0 ... .max))
        }
        if seed != nil { throw UsageError("--seed requires the source echo, not \(name)") }
        if let url = try webAddress() { return .source(source.asked(at: url)) }
        return .source(base.map { source.asked(below: $0) } ?? source)
    }

    /// - Parameter isPair: whether the source provides prices only for pairs, as exchanges do. If so, lowercase letters
    ///   in the symbol are converted to capitals.
    private static func symbol(_ text: String, isPair: Bool) throws(UsageError) -> Symbol {
        let symbol = Symbol(isPair ? text.uppercased() : text)
        if let symbol, !isPair || (try? TradingPair(symbol)) != nil { return symbol }
        throw UsageError("invalid value '\(text)' for --symbol: expected a symbol such as BTC-USD")
    }

    /// The beginning of a command that an error message suggests.
    private var suggestedCommand: String { isPushed ? "price-fetch --push" : "price-fetch" }

    private func sourceOperand() throws(UsageError) -> String {
        let exchanges = PriceSource.all.map(\.name)
        let known = exchanges + [EchoFeed.name]
        let usable = isPushed ? Self.pushing : base == nil ? known : exchanges
        let example = "as in '\(suggestedCommand) --once --symbol BTC-USD binance'"
        let expected = "expected \(usable.dropLast().joined(separator: ", ")) or \(usable.last!), \(example)"
        guard let first = sources.first else { throw UsageError("missing SOURCE: \(expected)") }
        guard known.contains(first) else { throw UsageError("unknown source '\(first)': \(expected)") }
        if sources.count > 1 {
            throw UsageError("unexpected argument '\(sources[1])': expected one source, \(example)")
        }
        return first
    }

    private static func pushSource(_ name: String) throws(UsageError) -> (PriceSource, PushSource) {
        if let source = PriceSource.all.first(where: { $0.name == name }), let push = source.push {
            return (source, push)
        }
        let known = pushing.joined(separator: ", ")
        throw UsageError("\(name) has no push feed; sources with a push feed: \(known)")
    }

    /// The names of the sources with a push feed.
    private static var pushing: [String] { PriceSource.all.filter { $0.push != nil }.map(\.name) }

    private func webAddress() throws(UsageError) -> WebAddress? {
        try address(WebAddress.init, "https://example.com/price.json")
    }

    private func socketAddress() throws(UsageError) -> WebSocketAddress? {
        try address(WebSocketAddress.init, "wss://example.com/feed")
    }

    private func address<Address>(
        _ parse: (String) -> Address?, _ example: String
    ) throws(UsageError) -> Address? {
        guard let url else { return nil }
        guard let address = parse(url) else {
            throw UsageError("invalid value '\(url)' for --url: expected a URL such as \(example)")
        }
        return address
    }

    private static func sourceName(_ text: String) -> String? {
        (1...64).contains(text.count) && printable(text) == text ? text : nil
    }
}
