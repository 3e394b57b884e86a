import Foundation
import PipeCommon
import TestSupport
import Testing

/// The whole pipeline on exchanges that misbehave, for a number of requests. Every line is checked.
final class OriginSearch {
    enum Transport: String, CaseIterable, Sendable {
        case plain, tls, http2
    }

    private static let timeout = Duration.milliseconds(400)
    private static let budget = Duration.milliseconds(500)
    private static let canEncrypt = TLSContext.isAvailable && Programs.has("openssl")

    private let transport: Transport
    private let symbols: [Symbol]
    private let exchanges: [MisbehavingExchange]
    private let folder = TemporaryFolder()
    private var proxies: [RunningProgram] = []

    init(_ transport: Transport, symbols count: Int, seed: UInt64) {
        self.transport = transport
        let symbols = (0..<count).map { Symbol($0 == 0 ? "BTC-USD" : "C\($0)-USD")! }
        self.symbols = symbols
        let encryption = transport == .tls ? TLSContext("good") : nil
        let payloads: [ExchangePayload] =
            switch count {
            case 1: [.binance, .coinbase, .bitstamp]
            case 2: [.binance, .kraken, .bitstamp]
            default: [.binance, .kraken, .coinbase]
            }
        exchanges = payloads.enumerated().map { place, payload in
            let canBeOfAnother = count > 1 && payload.namesSymbol
            var manners = (transport == .http2 ? Manner.behindProxy : Manner.allCases).filter {
                ($0 != .anotherSymbol || canBeOfAnother) && ($0 != .extraLater || payload.namesSymbol)
            }
            // Half of the answers are plain.
            manners += Array(repeating: .plain, count: manners.count)
            return MisbehavingExchange(
                payload, number: place + 1, of: symbols,
                closed: payload == .binance ? Array(symbols.dropFirst().suffix(2)) : [], manners: manners,
                seed: seed ^ UInt64(place) << 56,
                timeout: Self.timeout, encryptedBy: encryption)
        }
    }

    /// Whether this machine has the tools.
    static func isPossible(_ transport: Transport) -> Bool {
        switch transport {
        case .plain: true
        case .tls: canEncrypt
        case .http2: canEncrypt && Programs.has("nghttpx")
        }
    }

    /// Runs until the exchanges were asked for that many prices.
    func run(prices wanted: Int) throws -> OriginCheck {
        let sources = exchanges.map { source($0, port: port($0)).shellQuoted }
        let command = """
            price-fallback --agree off --timeout \(Self.timeout.milliseconds)ms --budget \(Self.budget.milliseconds)ms \
            \(sources.joined(separator: " ")) | price-cache | tee "$FOLDER/readings" | price-format > "$FOLDER/text"
            """
        let environment = [
            "FOLDER": folder.path, "XDG_CACHE_HOME": folder.path,
            "SSL_CERT_FILE": transport == .plain ? "" : Certificates.shared.authority,
        ]
        let running = RunningProgram("bash", ["-o", "pipefail", "-c", command], environment: environment)
        let end = Deadline(in: beat * wanted / symbols.count * 4 + .seconds(5))
        var tick = 0
        while askedPrices < wanted, !end.hasPassed() {
            let next = Deadline(in: beat)
            for symbol in symbols {
                running.write(Tick(number: tick, at: .now(), symbol: symbol).text + "\n")
            }
            tick += 1
            running.wait(next.remaining())
        }
        let result = running.finish()
        #expect(result.status == 0, "\(result.errors)")
        return try check(ticks: tick * symbols.count)
    }

    /// A hundred ticks a second at most.
    private var beat: Duration { .milliseconds(max(50, symbols.count * 10)) }

    /// How many prices all exchanges were asked for.
    var askedPrices: Int { exchanges.map(\.askedPrices).reduce(0, +) }

    /// What the programs did wrong, as the exchanges saw it.
    var faults: [String] { exchanges.flatMap(\.faults) }

    private func check(ticks: Int) throws -> OriginCheck {
        var check = OriginCheck { [exchanges] price in
            exchanges.lazy.compactMap { exchange in
                exchange.sent(price).map { (exchange.payload.rawValue, $0) }
            }.first
        }
        let readings = try lines("readings").map { try Reading(line: $0.utf8) }
        #expect(readings.count == ticks)
        for reading in readings { check.check(reading) }
        #expect(lines("text").map(Self.withoutTime) == readings.flatMap(Self.text))
        return check
    }

    private func lines(_ name: String) -> [String] {
        (folder.contents(name) ?? "").split(separator: "\n").map(String.init)
    }

    /// What is shown for a reading, without its time.
    private static func text(_ reading: Reading) -> [String] {
        let name = reading.pricedSymbol == .bitcoin ? "" : "\(reading.pricedSymbol.text) "
        let price = name + (reading.quote.map { "$\($0.price.text)" } ?? "-")
        return reading.isFresh ? [price] : ["banner", price]
    }

    private static func withoutTime(_ line: String) -> String {
        if line.hasPrefix("Failed to update value.") { return "banner" }
        return (line.firstRange(of: " - ").map { String(line[$0.upperBound...]) } ?? line).replacing(
            ",", with: "")
    }

    // MARK: Sources

    private func source(_ exchange: MisbehavingExchange, port: UInt16) -> String {
        let base = transport == .plain ? "http://127.0.0.1:\(port)" : "https://localhost:\(port)"
        let name = exchange.payload.rawValue
        if symbols.count > 1 { return "exec price-fetch --base \(base) \(name)" }
        return "exec price-fetch --url '\(base)\(exchange.payload.path(of: symbols[0]))' \(name)"
    }

    /// Where the exchange is asked: for HTTP/2 at a proxy before it.
    private func port(_ exchange: MisbehavingExchange) -> UInt16 {
        guard transport == .http2 else { return exchange.port }
        let port = Loopback.freePort()
        let named = "\(Certificates.shared.folder.path)/good"
        let words = [
            "--frontend=127.0.0.1,\(port)", "--backend=127.0.0.1,\(exchange.port)", "--workers=1",
            "--no-ocsp",
            "--conf=/dev/null", "--errorlog-file=/dev/null", "\(named).key", "\(named).pem",
        ]
        let proxy = RunningProgram("nghttpx", words)
        #expect(proxy.waitUntil(within: .seconds(10)) { Loopback.isListening(port) })
        proxies.append(proxy)
        return port
    }
}
