import PipeCommon

/// Where the prices come from.
enum Origin {
    case source(PriceSource)
    /// If `at` is nil, the feed connects to the exchange's own address, and `SilentMarkets` polls the markets for which
    /// the feed sends no prices.
    case push(PriceSource, PushSource, at: WebSocketAddress?, maxAge: Duration)
    case echo(at: WebSocketAddress, seed: UInt64)
    case stream(command: String, name: String, price: StreamedPrice)

    /// One line for each known source: its name and its abilities, such as `binance<TAB>poll several push candles`.
    static var list: [String] {
        PriceSource.all.map { source in
            let abilities = [
                "poll", source.shared == nil ? nil : "several",
                source.push == nil ? nil : "push",
                source.candles == nil ? nil : "candles",
            ]
            return "\(source.name)\t\(abilities.compactMap(\.self).joined(separator: " "))"
        } + ["\(EchoFeed.name)\tmade-up"]
    }

    var name: String {
        switch self {
        case .source(let source): source.name
        case .push(let source, _, _, _): source.name
        case .echo: EchoFeed.name
        case .stream(_, let name, _): name
        }
    }

    /// Whether all prices are polled over HTTP, rather than received from a push feed, an echo server or a command.
    var isPolled: Bool {
        if case .source = self { true } else { false }
    }

    var hasCandles: Bool {
        if case .source(let source) = self { source.candles != nil } else { false }
    }

    func feed(_ reports: Reports) -> any PriceFeed {
        switch self {
        case .source(let source): HTTPFeed(source, client: CurlClient(), reports: reports)
        case .push(let source, let push, let address, let maxAge):
            PushFeed(
                source, push,
                connection: FeedConnection(
                    address ?? push.address, silenceLimit: maxAge, lifetime: push.lifetime,
                    connect: Self.connect, reports: reports),
                maxAge: maxAge,
                silentMarkets: address == nil
                    ? SilentMarkets { HTTPFeed(source, client: CurlClient(), reports: Reports()) } : nil,
                reports: reports)
        case .echo(let address, let seed):
            EchoFeed(
                connection: FeedConnection(
                    address, silenceLimit: EchoFeed.silenceLimit, connect: Self.connect, reports: reports),
                seed: seed)
        case .stream(let command, let name, let price):
            StreamFeed(command, name: name, price: price, reports: reports)
        }
    }
    private static func connect(_ address: WebAddress) -> any ByteStream {
        CurlStream(address, connectWithin: FeedConnection.openingLimit)
    }
}
