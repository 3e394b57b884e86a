import Foundation
import PipeCommon
import Synchronization
import TestSupport

/// Sources on a local server, and a pipeline with three of them.
final class LocalSources: Sendable {
    /// The answer of a source. An answer that names no symbol serves any symbol. The prices agree, so that there is no
    /// vote.
    private static func body(_ source: Substring) -> String? {
        let seconds = Int(Date().timeIntervalSince1970)
        return switch source {
        case "binance": #"{"symbol":"BTCUSDT","price":"114721.34000000"}"#
        case "cryptocompare":
            #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"USD","PRICE":114699.9,"LASTUPDATE":\#(seconds)}}"#
        case "coinbase": ExchangePayload.coinbase.body(.bitcoin, "114709.05")
        case "bitstamp": #"{"last":"114709.05","timestamp":"\#(seconds)"}"#
        default: nil
        }
    }

    /// Binance's answer with the prices of the markets in an address: a list if the address contains `symbols=`.
    private static func binance(_ path: String) -> String {
        let list = path.split { "=&".contains($0) }[1]
        let names = ["%5B", "%5D", "%22"].reduce(String(list)) { $0.replacing($1, with: "") }
        let tickers = names.split(separator: ",").map { #"{"symbol":"\#($0)","price":"114721.34000000"}"# }
        return path.contains("symbols=") ? "[\(tickers.joined(separator: ","))]" : tickers[0]
    }

    private let server: StubServer
    let folder = TemporaryFolder()

    /// - Parameter sent: called after the last byte of an answer of Binance has been sent.
    init(sent: @escaping @Sendable () -> Void = {}) {
        server = StubServer { request in
            let path = request.path
            let body: String? =
                if path.hasPrefix("/api/v2/ticker/") {
                    Self.body("bitstamp")
                } else if path.hasPrefix("/api/v3/ticker/price?") {
                    Self.binance(path)
                } else { Self.body(path.dropFirst()) }
            return (body.map { StubServer.Answer.ok($0) } ?? .status(503)).then {
                if path.contains("binance") || path.hasPrefix("/api/v3/") { sent() }
            }
        }
    }

    func url(_ source: String) -> String { server.url("/\(source)") }

    var base: String { server.url("") }

    func fetch(_ source: String) -> String { "price-fetch --url \(url(source)) \(source)" }

    var environment: [String: String] { ["XDG_CACHE_HOME": folder.path] }

    func pipeline(_ options: String) -> String {
        """
        btc-price \(options) --primary '\(fetch("binance"))' --fallback '\(fetch("cryptocompare"))' \
        --fallback '\(fetch("coinbase"))'
        """
    }
}
