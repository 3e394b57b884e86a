import PipeCommon
import Synchronization
import TestSupport

/// How the programs connect to the exchanges.
enum Transport: String, CaseIterable, Sendable {
    case plain, tls, http2

    /// Whether the tools that the transport needs are on this machine.
    var isPossible: Bool {
        let canEncrypt = TLSContext.isAvailable && Programs.has("openssl")
        return switch self {
        case .plain: true
        case .tls: canEncrypt
        case .http2: canEncrypt && Programs.has("nghttpx")
        }
    }
}

/// The three exchanges of a soak, which behave according to the schedule, and the commands that query them.
final class Exchanges {
    let symbols: [Symbol]
    let schedule: Schedule
    private let exchanges: [MisbehavingExchange]
    private let names: FaultyNames?
    private let proxies: [(program: RunningProgram, port: UInt16)]
    private let options: SoakOptions
    /// The soak's position in the schedule: at first the tick at which the pipeline begins, later the last
    /// answered tick.
    private let place: Place

    private final class Place: Sendable {
        let tick = Atomic(0)
    }

    init(_ options: SoakOptions) {
        let symbols = (0..<options.symbols).map { $0 == 0 ? .bitcoin : Symbol("C\($0)-USD")! }
        let payloads = Self.payloads(options.symbols)
        let schedule = Schedule(
            seed: options.seed, ticks: options.ticks,
            manners: payloads.map { Self.manners(of: $0, options) })
        let encryption = options.transport == .tls ? TLSContext("good") : nil
        // The faulty name server is used only with one symbol and without TLS. While it is slow, the number
        // of threads that look up names for many symbols varies widely, which would look like a leak.
        let names = options.symbols == 1 && options.transport == .plain ? FaultyNames() : nil
        let place = Place()
        exchanges = payloads.enumerated().map { index, payload in
            MisbehavingExchange(
                payload, number: index + 1, of: symbols,
                closed: payload == .binance ? Array(symbols.dropFirst().suffix(2)) : [],
                seed: options.seed ^ UInt64(index) << 56, timeout: options.timeout,
                at: names != nil && index == 2 ? FaultyNames.host : "127.0.0.1", encryptedBy: encryption
            ) { random in
                schedule.manner(of: index, at: place.tick.load(ordering: .relaxed), &random)
            }
        }
        names?.listen(at: exchanges[2].port)
        proxies = options.transport == .http2 ? exchanges.map { Self.proxy(before: $0.port) } : []
        (self.symbols, self.schedule, self.place, self.options) = (symbols, schedule, place, options)
        self.names = names
    }

    private static func payloads(_ symbols: Int) -> [ExchangePayload] {
        switch symbols {
        case 1: [.binance, .coinbase, .bitstamp]
        case 2: [.binance, .kraken, .bitstamp]
        default: [.binance, .kraken, .coinbase]
        }
    }

    private static func manners(of payload: ExchangePayload, _ options: SoakOptions) -> [Manner] {
        let canBeOfAnother = options.symbols > 1 && payload.namesSymbol
        return (options.transport == .http2 ? Manner.behindProxy : Manner.allCases).filter {
            ($0 != .anotherSymbol || canBeOfAnother) && ($0 != .extraLater || payload.namesSymbol)
        }
    }

    /// Descriptions of the faults that the exchanges have found in the programs' requests.
    var faults: [String] { exchanges.flatMap(\.faults) }

    /// Moves the exchanges and the name server to the given tick of the schedule.
    func reach(_ tick: Int) {
        place.tick.store(tick, ordering: .relaxed)
        names?.become(schedule.naming[tick])
    }

    /// - Parameter folder: the folder in which the pipeline runs.
    func stages(in folder: TemporaryFolder) -> Stages {
        folder.addTool("noisy-fetch", Self.noise)
        var stages = Stages(
            sources: exchanges.indices.map(command), programs: exchanges.map { "price-fetch \($0.payload)" },
            origin: { [exchanges] price in exchanges.lazy.compactMap { $0.origin(of: price) }.first })
        stages.options = "--agree off"
        if options.transport != .plain { stages.environment["SSL_CERT_FILE"] = Certificates.shared.authority }
        if let names {
            folder.write("resolv.conf", names.configuration)
            stages.preparation = "mount --bind resolv.conf /etc/resolv.conf"
            stages.needsMount = true
        }
        return stages
    }

    /// The command that starts a source. The first source, the primary, also writes endless log output. If the soak
    /// uses only one symbol, the command gets the complete URL (`--url`) instead of a base URL (`--base`).
    private func command(_ place: Int) -> String {
        let (exchange, isPlain) = (exchanges[place], options.transport == .plain)
        let port = proxies.isEmpty ? exchange.port : proxies[place].port
        let host = names != nil && place == 2 ? FaultyNames.name : isPlain ? "127.0.0.1" : "localhost"
        let base = "\(isPlain ? "http" : "https")://\(host):\(port)"
        let address =
            symbols.count > 1
            ? "--base \(base)" : "--url '\(base)\(exchange.payload.path(of: symbols[0]))'"
        return "\(place == 0 ? "noisy" : "price")-fetch \(address) \(exchange.payload)"
    }

    /// A script that runs `price-fetch` and writes about a thousand characters to standard error every 50 ms.
    private static let noise = """
        { while kill -0 $$; do printf 'noise%01000d\\n' 0 >&3; sleep .05; done; } 3>&2 2>/dev/null >/dev/null &
        exec price-fetch "$@"
        """

    /// Starts a proxy that speaks HTTP/2 in front of an exchange that speaks only HTTP/1.1.
    private static func proxy(before exchange: UInt16) -> (program: RunningProgram, port: UInt16) {
        let port = Loopback.freePort()
        let named = "\(Certificates.shared.folder.path)/good"
        let words = [
            "--frontend=127.0.0.1,\(port)", "--backend=127.0.0.1,\(exchange)", "--workers=1", "--no-ocsp",
            "--conf=/dev/null", "--errorlog-file=/dev/null", "\(named).key", "\(named).pem",
        ]
        let proxy = RunningProgram("nghttpx", words)
        proxy.waitUntil { Loopback.isListening(port) }
        return (proxy, port)
    }
}
