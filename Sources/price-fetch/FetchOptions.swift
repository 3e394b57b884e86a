import PipeCommon

struct FetchOptions: CommandOptions {
    var timeout = Duration.milliseconds(800)
    private var base: WebAddress?
    private var url: WebAddress?
    private var price: JSONPointer?
    private var stream: String?
    private var maxAge = Duration.seconds(5)
    private var name: String?
    private var typedSymbol: String?
    var isOnce = false
    private var isListing = false
    private var sources: [String] = []
    /// Nil if the known sources are to be listed.
    private(set) var origin: Origin?
    /// What `--once` asks for; nil when it was not given.
    private(set) var symbol: Symbol?
    /// Nil if the source prices all symbols.
    private(set) var singleSymbol: SingleSymbol?

    init() {}

    static let command = Command<FetchOptions>(
        "price-fetch", "fetches the price from one source and writes one reading per tick",
        calls: [
            "[--timeout DURATION] [--base URL | --url URL] [--symbol SYMBOL] [--once] SOURCE",
            "[--timeout DURATION] --url URL --price POINTER [--symbol SYMBOL] [--name NAME] [--once]",
            "[--timeout DURATION] --stream COMMAND --price POINTER [--symbol SYMBOL] [--max-age DURATION] [--name NAME] [--once]",
            "--list",
        ],
        options: [
            Option("--timeout", "DURATION", \.timeout, .duration(), "time limit for the complete response")
                .explained("A tick's own timeout_ms is used instead if it is shorter."),
            Option(
                "--base", "URL", \.base,
                ValueForm(
                    "a URL without a query, such as https://data-api.binance.vision", parse: PriceSource.base),
                "ask another host with SOURCE's own paths, for all symbols"
            ).explained("URL has no query; if it has a path, SOURCE's paths follow it.")
                .excluding("--url", "--price", "--stream"),
            Option(
                "--url", "URL", \.url,
                ValueForm("a URL such as https://example.com/price.json", parse: WebAddress.init),
                "request SOURCE's payload of one symbol from this http(s) URL instead"),
            Option(
                "--price", "POINTER", \.price,
                ValueForm("a JSON Pointer such as /data/price", parse: JSONPointer.init),
                "JSON Pointer to the price in any JSON document, e.g. /data/0/last"
            ).excluding("SOURCE").requiring("--url", "--stream"),
            Option(
                "--stream", "COMMAND", \.stream, .text("a shell command"),
                "run COMMAND and use the latest price it prints (one JSON message per line)"
            ).excluding("--url", "SOURCE").requiring("--price"),
            Option(
                "--max-age", "DURATION", \.maxAge, .duration(), "ignore a streamed price this old or older"
            ).requiring("--stream"),
            Option(
                "--name", "NAME", \.name, ValueForm("1 to 64 printable characters", parse: sourceName),
                "source name to report with --price or --stream", default: "the host of --url, or stream"
            ).requiring("--price"),
            Option(
                "--symbol", "SYMBOL", \.typedSymbol, .text("a symbol such as BTC-USD"),
                "ask for SYMBOL with --once; price only SYMBOL with --url or --stream",
                default: "BTC-USD"),
            Option(
                "--once", \.isOnce,
                "fetch once without reading ticks; exit with status 69 if there is no quote"),
            Option("--list", \.isListing, "list the known sources and what each can do, and exit")
                .explained("One line per source: its name, a tab, and the words for what it can do."),
        ],
        operands: Operands("SOURCE", \.sources),
        notes: """
            Reads ticks and writes a reading for each as soon as it is known.

            Binance prices USD in USDT, 1:1; the market in each quote shows it.

            CRYPTOCOMPARE_API_KEY: API key for CryptoCompare, sent in a request header over https.
            """)

    mutating func validate() throws(UsageError) {
        if isListing { return }
        symbol = try typedSymbol.map { text throws(UsageError) in
            try Typed.symbol(text, isPair: price == nil)
        }
        let origin = try validOrigin()
        let pricesOne = url != nil || stream != nil
        if let symbol, !isOnce, !pricesOne {
            let example = "price-clock --symbol \(symbol.text) | price-fetch \(origin.name)"
            throw UsageError("--symbol requires --once, --url or --stream; else ticks name it: '\(example)'")
        }
        self.origin = origin
        if pricesOne { singleSymbol = SingleSymbol(source: origin.name, symbol: symbol ?? .bitcoin) }
    }

    private func validOrigin() throws(UsageError) -> Origin {
        if let stream, let price {
            let price = StreamedPrice(at: price, maxAge: maxAge)
            return .stream(command: stream, name: name ?? "stream", price: price)
        }
        if let url, let price { return .source(.custom(name: name ?? url.host, url: url, price: price)) }
        if url != nil, sources.isEmpty {
            throw UsageError("--url requires SOURCE or --price, as in '--price /data/0/last'")
        }
        let source = try Typed.source(sources)
        return .source(url.map(source.asked(at:)) ?? base.map(source.asked(below:)) ?? source)
    }

    private static func sourceName(_ text: String) -> String? {
        (1...64).contains(text.count) && printable(text) == text ? text : nil
    }
}
