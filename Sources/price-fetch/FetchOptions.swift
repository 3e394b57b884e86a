import PipeCommon

struct FetchOptions: CommandOptions {
    /// Where the prices come from.
    enum Origin {
        case source(PriceSource)
        case stream(command: String, name: String, price: StreamedPrice)

        func feed(warn: @escaping (String) -> Void) -> any PriceFeed {
            switch self {
            case .source(let source): PollingFeed(source, client: CurlClient(), warn: warn)
            case .stream(let command, let name, let price):
                StreamFeed(command, name: name, price: price, warn: warn)
            }
        }
    }

    var timeout = Duration.milliseconds(800)
    private var base: WebAddress?
    private var url: WebAddress?
    private var price: JSONPointer?
    private var stream: String?
    private var maxAge = Duration.seconds(5)
    private var name: String?
    var isOnce = false
    private var isListing = false
    private var sources: [String] = []
    /// Nil if the known sources are to be listed.
    private(set) var origin: Origin?

    init() {}

    static let command = Command<FetchOptions>(
        "price-fetch", "fetches the price from one source and writes one reading per tick",
        calls: [
            "[--timeout DURATION] [--base URL | --url URL] [--once] SOURCE",
            "[--timeout DURATION] --url URL --price POINTER [--name NAME] [--once]",
            "[--timeout DURATION] --stream COMMAND --price POINTER [--max-age DURATION] [--name NAME] [--once]",
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
                "request SOURCE's payload from this http(s) URL instead"),
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
                "--once", \.isOnce,
                "fetch once without reading ticks; exit with status 69 if there is no quote"),
            Option("--list", \.isListing, "list the known sources and what each can do, and exit")
                .explained("One line per source: its name, a tab, and the words for what it can do."),
        ],
        operands: Operands("SOURCE", \.sources, atMost: 1),
        notes: """
            Reads ticks and writes a reading for each as soon as it is known.

            CRYPTOCOMPARE_API_KEY: API key for CryptoCompare, sent in a request header.
            """)

    mutating func validate() throws(UsageError) {
        if isListing { return }
        if let stream, let price {
            let price = StreamedPrice(at: price, maxAge: maxAge)
            origin = .stream(command: stream, name: name ?? "stream", price: price)
        } else if let url, let price {
            origin = .source(.custom(name: name ?? url.host, url: url, price: price))
        } else {
            let source = try knownSource()
            origin = .source(url.map(source.asked(at:)) ?? base.map(source.asked(below:)) ?? source)
        }
    }

    private func knownSource() throws(UsageError) -> PriceSource {
        guard let name = sources.first else {
            throw UsageError("missing SOURCE (run with --list to see the known sources)")
        }
        guard let source = PriceSource.all.first(where: { $0.name == name }) else {
            throw UsageError("unknown source '\(name)' (run with --list to see the known sources)")
        }
        return source
    }

    private static func sourceName(_ text: String) -> String? {
        (1...64).contains(text.count) && printable(text) == text ? text : nil
    }
}
