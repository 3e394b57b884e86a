import PipeCommon

/// The paths of the requests to an exchange, and its answers. The name of each case is also the exchange's name on the
/// command line of `price-fetch`.
public enum ExchangePayload: String, Sendable {
    case binance, coinbase, bitstamp, kraken

    private static let status = "&symbolStatus=TRADING"

    /// Whether an answer names its symbol, so that an answer for another symbol can be detected.
    public var namesSymbol: Bool { self == .binance || self == .kraken }

    public func path(of symbol: Symbol) -> String {
        let (base, currency) = parts(symbol)
        return switch self {
        case .binance: "/api/v3/ticker/price?symbol=\(market(symbol))\(Self.status)"
        case .kraken: "/0/public/Ticker?pair=\(market(symbol))"
        case .coinbase: "/products/\(base)-\(currency)/ticker"
        case .bitstamp: "/api/v2/ticker/\(base.lowercased())\(currency.lowercased())/"
        }
    }

    public func body(_ symbol: Symbol, _ price: String) -> String {
        switch self {
        case .binance: ticker(symbol, price)
        case .kraken: #"{"error":[],"result":{\#(ticker(symbol, price))}}"#
        case .coinbase: #"{"price":"\#(price)","time":"\#(Timestamp.now().text)"}"#
        case .bitstamp: #"{"last":"\#(price)","timestamp":"\#(Timestamp.now().milliseconds / 1000)"}"#
        }
    }

    /// The body of Binance's answer for a market that does not trade. The answer's status is 400.
    public static let closedMarket =
        #"{"code":-1220,"msg":"The symbol's status does not match the requested symbolStatus."}"#

    // MARK: Several symbols

    /// The given symbols whose prices are requested by a path. The result contains several symbols only if the
    /// exchange supports requests for several symbols. The result is empty if the path does not request prices,
    /// or if it contains the market of a symbol that is not among `symbols`.
    public func asked(in path: String, among symbols: [Symbol]) -> [Symbol] {
        if let symbol = symbols.first(where: { self.path(of: $0) == path }) { return [symbol] }
        let (start, end) =
            self == .binance
            ? ("/api/v3/ticker/price?symbols=%5B", "%5D" + Self.status) : ("/0/public/Ticker?pair=", "")
        guard self == .binance || self == .kraken, path.hasPrefix(start), path.hasSuffix(end) else {
            return []
        }
        let markets = path.dropFirst(start.count).dropLast(end.count).split(separator: ",")
        let names = Dictionary(uniqueKeysWithValues: symbols.map { (market($0), $0) })
        let asked = markets.compactMap { names[String($0).replacing("%22", with: "")] }
        return asked.count == markets.count ? asked : []
    }

    /// The body of Binance's or Kraken's answer to a request for several symbols.
    public func body(_ tickers: [String]) -> String {
        let list = tickers.joined(separator: ",")
        return self == .binance ? "[\(list)]" : #"{"error":[],"result":{\#(list)}}"#
    }

    /// - Parameter isLong: whether to use the market's longer name, which exists only at Kraken.
    public func ticker(_ symbol: Symbol, _ price: String, isLong: Bool = false) -> String {
        guard self == .kraken else { return #"{"symbol":"\#(market(symbol))","price":"\#(price)"}"# }
        let (base, currency) = parts(symbol)
        let name = isLong ? "X\(base == "BTC" ? "XBT" : base)Z\(currency)" : market(symbol)
        return #""\#(name)":{"c":["\#(price)","1"]}"#
    }

    /// Binance's or Kraken's answer to a request for an unknown symbol, alone or among other symbols.
    public var unknown: StubServer.Answer {
        self == .binance
            ? .status(400, #"{"code":-1121,"msg":"Invalid symbol."}"#)
            : .ok(#"{"error":["EQuery:Unknown asset pair"]}"#)
    }

    /// The name of the symbol's market at Kraken or Binance.
    private func market(_ symbol: Symbol) -> String {
        let (base, currency) = parts(symbol)
        return self == .kraken ? "\(base == "BTC" ? "XBT" : base)\(currency)" : "\(base)\(currency)T"
    }

    private func parts(_ symbol: Symbol) -> (base: String, currency: String) {
        let parts = symbol.text.split(separator: "-").map(String.init)
        return (parts[0], parts[1])
    }
}

/// The bodies of an exchange's answers to requests for candles.
public enum CandlePayload: String, CaseIterable, Sendable {
    case binance, coinbase, kraken, bitstamp

    /// A candle's beginning, written without seconds, and its closing price.
    public typealias Row = (at: String, close: String)

    /// - Parameters:
    ///   - pair: the market's name in an answer from Kraken or Bitstamp; nil for the market of BTC-USD.
    ///   - length: the length of a candle in milliseconds.
    public func body(_ rows: [Row], pair: String? = nil, length: Int = 86_400_000) -> String {
        let rows = rows.map { row($0.at, $0.close, length) }.joined(separator: ",")
        return switch self {
        case .binance, .coinbase: "[\(rows)]"
        case .kraken: #"{"error":[],"result":{"\#(pair ?? "XXBTZUSD")":[\#(rows)],"last":1688672160}}"#
        case .bitstamp: #"{"data":{"pair":"\#(pair ?? "BTC/USD")","ohlc":[\#(rows)]}}"#
        }
    }

    /// Only the closing price matters; the other prices are decoys.
    private func row(_ at: String, _ close: String, _ length: Int) -> String {
        let time = Timestamp("\(at):00.000Z")!.milliseconds
        return switch self {
        case .binance:
            #"[\#(time),"1.01","1.02","1.03","\#(close)","148976.1",\#(time + length - 1),"2.1",308,"1.5","2.8","0"]"#
        case .coinbase: "[\(time / 1000),1.03,1.02,1.01,\(close),0.02816506]"
        case .kraken: #"[\#(time / 1000),"1.01","1.02","1.03","\#(close)","1.04","3.39243896",23]"#
        case .bitstamp:
            #"{"high":"1.02","timestamp":"\#(time / 1000)","volume":"18.4","low":"1.03","close":"\#(close)","open":"1.01"}"#
        }
    }
}
