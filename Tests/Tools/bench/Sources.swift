import PipeCommon
import TestSupport

/// Acts as a source that answers each tick immediately and does hardly any other work.
func answerTicks(_ diagnostics: Diagnostics) throws -> ExitStatus {
    var ticks = RecordReader<Tick>(diagnostics: diagnostics)
    var output = LiveWriter(diagnostics: diagnostics)
    let quote = anyQuote()
    while try ticks.readMore() {
        while let tick = ticks.next() { try output.add(Reading(answering: tick, quote, from: "instant")) }
        try output.flush()
    }
    return ticks.status
}

/// Three exchanges on a local server.
final class LocalSources: Sendable {
    private static let symbols = [.bitcoin] + (0..<25).map { Symbol("S\($0)-USD")! }
    private let server: StubServer

    /// - Parameter sent: called whenever the last byte of an answer from Binance has been sent.
    init(sent: @escaping @Sendable () -> Void = {}) {
        server = StubServer { request in
            for exchange in [ExchangePayload.binance, .bitstamp, .coinbase] {
                let isOfOne = request.path == "/\(exchange)"
                let asked = isOfOne ? [.bitcoin] : exchange.asked(in: request.path, among: Self.symbols)
                guard let symbol = asked.first else { continue }
                // All prices are equal, so that no price is disputed.
                let tickers = asked.map { exchange.ticker($0, "114721.34") }
                return .ok(asked.count > 1 ? exchange.body(tickers) : exchange.body(symbol, "114721.34"))
                    .then { if exchange == .binance { sent() } }
            }
            return .status(503)
        }
    }

    func url(_ source: String) -> String { server.url("/\(source)") }

    /// The command of a source that quotes only BTC-USD and does not limit its request rate.
    func fetch(_ source: String) -> String { "price-fetch --timeout 20s --url \(url(source)) \(source)" }

    /// The command of a source that quotes all symbols.
    func fetchAll(_ source: String) -> String { "price-fetch --base \(server.url("")) \(source)" }

    /// The options of `btc-price` for all three exchanges.
    var options: String {
        "--primary '\(fetch("binance"))' --fallback '\(fetch("bitstamp"))' --fallback '\(fetch("coinbase"))'"
    }
}
