import PipeCommon

/// The address and the answer of an exchange, as `price-fetch` knows them by the exchange's name.
public enum ExchangePayload: String, Sendable {
    case binance, coinbase, bitstamp

    /// Whether an answer names its symbol, so that the answer to another symbol's request can be told apart.
    public var namesSymbol: Bool { self != .bitstamp }

    public func path(of symbol: Symbol) -> String {
        let (base, currency) = parts(symbol)
        return switch self {
        case .binance: "/api/v3/ticker/price?symbol=\(base)\(currency)T"
        case .coinbase: "/v2/prices/\(base)-\(currency)/spot"
        case .bitstamp: "/api/v2/ticker/\(base.lowercased())\(currency.lowercased())/"
        }
    }

    public func body(_ symbol: Symbol, _ price: String) -> String {
        let (base, currency) = parts(symbol)
        return switch self {
        case .binance: #"{"symbol":"\#(base)\#(currency)T","price":"\#(price)"}"#
        case .coinbase: #"{"data":{"amount":"\#(price)","base":"\#(base)","currency":"\#(currency)"}}"#
        case .bitstamp: #"{"last":"\#(price)","timestamp":"\#(Timestamp.now().milliseconds / 1000)"}"#
        }
    }

    private func parts(_ symbol: Symbol) -> (base: String, currency: String) {
        let parts = symbol.text.split(separator: "-").map(String.init)
        return (parts[0], parts[1])
    }
}
