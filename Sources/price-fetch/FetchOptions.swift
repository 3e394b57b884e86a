import PipeCommon

struct FetchOptions: FilterOptions {
    static let manual = Manual(
        program: "price-fetch",
        sentence: "asks one source, a reading for each tick",
        synopsis: [
            "[--timeout 800ms] [--url URL] [--once] SOURCE",
            "[--timeout 800ms] --url URL --price POINTER [--name NAME] [--once]",
            "[--timeout 800ms] --stream COMMAND --price POINTER [--max-age 5s] [--name NAME] [--once]",
            "--list",
        ],
        options: [
            .init(
                "--timeout", value: "DURATION", help: "wait that long for the whole answer (default: 800ms)"),
            .init("--url", value: "URL", help: "ask this address, http or https, for the source's payload"),
            .init(
                "--price", value: "POINTER",
                help: "where the price stands in any JSON: a JSON Pointer, /data/0/last"),
            .init(
                "--stream", value: "COMMAND",
                help: "take the newest price of the messages that COMMAND writes, JSON a line"),
            .init(
                "--max-age", value: "DURATION",
                help: "a price of the stream that old or older is none (default: 5s)"),
            .init(
                "--name", value: "NAME",
                help: "what to call the source of --price (default: the URL's host, or stream)"),
            .init("--once", help: "fetch once, without reading ticks; 69 when there is no quote"),
            .init("--list", help: "list the known sources and exit"),
        ],
        notes: """
            Reads ticks and writes a reading for each, as soon as it is known.

            CRYPTOCOMPARE_API_KEY: the key that cryptocompare wants, sent as a header.
            """)

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

    /// Nil if the known sources are to be listed.
    let origin: Origin?
    let isOnce: Bool
    let timeout: Duration

    init(_ arguments: Arguments) throws(UsageError) {
        timeout = try arguments.duration("--timeout") ?? .milliseconds(800)
        isOnce = arguments.has("--once")
        if arguments.has("--list") {
            origin = nil
        } else if let stream = try Self.stream(arguments) {
            origin = stream
        } else {
            origin = .source(try Self.source(arguments))
        }
    }

    private static func stream(_ arguments: Arguments) throws(UsageError) -> Origin? {
        let maxAge = try arguments.duration("--max-age")
        guard let command = try arguments.value("--stream", "a command", { $0.isEmpty ? nil : $0 }) else {
            if maxAge != nil { throw UsageError("--max-age needs --stream") }
            return nil
        }
        guard let pointer = try pointer(arguments) else { throw UsageError("--stream needs --price") }
        if arguments.has("--url") { throw UsageError("--stream and --url: one of them") }
        if let operand = arguments.operands.first {
            throw UsageError("--stream and the source \(operand): one of them")
        }
        let price = StreamedPrice(at: pointer, maxAge: maxAge ?? .seconds(5))
        return .stream(command: command, name: try name(arguments) ?? "stream", price: price)
    }

    private static func source(_ arguments: Arguments) throws(UsageError) -> PriceSource {
        let url = try arguments.value("--url", "an http or https URL", WebAddress.init)
        let name = try name(arguments)
        if let pointer = try pointer(arguments) {
            guard let url else { throw UsageError("--price needs --url or --stream") }
            if let operand = arguments.operands.first {
                throw UsageError("--price and the source \(operand): one of them")
            }
            return .custom(name: name ?? url.host, url: url, price: pointer)
        }
        if name != nil { throw UsageError("--name needs --price") }
        guard let operand = arguments.operands.first else {
            throw UsageError("which SOURCE? --list names them")
        }
        try arguments.refuseOperands(after: 1)
        guard let source = PriceSource.all.first(where: { $0.name == operand }) else {
            throw UsageError("unknown source \(operand); --list names them")
        }
        return url.map(source.asked(at:)) ?? source
    }

    private static func pointer(_ arguments: Arguments) throws(UsageError) -> JSONPointer? {
        try arguments.value("--price", "a JSON Pointer, such as /data/price", JSONPointer.init)
    }

    private static func name(_ arguments: Arguments) throws(UsageError) -> String? {
        try arguments.value("--name", "a name of 1 to 64 printable characters", sourceName)
    }

    private static func sourceName(_ text: String) -> String? {
        (1...64).contains(text.count) && printable(text) == text ? text : nil
    }
}
