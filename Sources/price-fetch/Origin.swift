import PipeCommon

/// Where the prices come from.
enum Origin {
    case source(PriceSource)
    case stream(command: String, name: String, price: StreamedPrice)

    var name: String {
        switch self {
        case .source(let source): source.name
        case .stream(_, let name, _): name
        }
    }

    func feed(warn: @escaping (String) -> Void) -> any PriceFeed {
        switch self {
        case .source(let source): PollingFeed(source, client: CurlClient(), warn: warn)
        case .stream(let command, let name, let price):
            StreamFeed(command, name: name, price: price, warn: warn)
        }
    }
}
