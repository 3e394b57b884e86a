import Foundation
import TestSupport

/// `price-fetch` as the fault tests start it: on its own or as the primary of `price-fallback`.
struct FetchUnderTest {
    let marked = MarkedProcesses()

    /// The body of a good answer from Binance.
    static let goodBody = #"{"symbol":"BTCUSDT","price":"68901.23"}"#
    /// A complete HTTP response whose body is `goodBody`.
    static let goodAnswer = "HTTP/1.1 200 OK\r\nContent-Length: \(goodBody.utf8.count)\r\n\r\n\(goodBody)"
    /// The body of a current answer from Bitstamp that is accepted for any symbol.
    static var bodyOfAnySymbol: String {
        #"{"last":"68901.23","timestamp":"\#(Int(Date().timeIntervalSince1970))"}"#
    }
    /// A source that answers every tick with a quote.
    static let rescue = ShellSource.quoting("68890.00", as: "fallback")

    static let hasOpenSSL = Programs.has("openssl")
    static let canTrust = Programs.canMount && hasOpenSSL
    static let canNameServers = Programs.canMount && StubNameServer() != nil

    /// Starts `price-fetch` for Binance, with this URL in place of the real URL.
    func start(_ url: String, timeout: String = "20s") -> RunningProgram { start(words(url, timeout)) }

    /// Starts `price-fetch` for a custom source, whose price is at the JSON pointer `/p`.
    func startCustom(_ url: String, timeout: String = "4s") -> RunningProgram {
        start(["price-fetch", "--timeout", timeout, "--url", url, "--price", "/p"])
    }

    /// Starts `price-fetch` as if on a machine that trusts the tests' certificate authority.
    func startTrusting(_ url: String, timeout: String = "20s") -> RunningProgram {
        startTrusting(words(url, timeout))
    }

    func startTrusting(_ words: [String]) -> RunningProgram {
        start(words, with: Certificates.shared.authority, over: "/etc/ssl/certs/ca-certificates.crt")
    }

    /// Starts `price-fallback` with a fallback that always answers. The primary is Binance, with this URL in
    /// place of the real URL.
    func startRescued(_ url: String, _ options: String...) -> RunningProgram {
        start(rescued(url, options))
    }

    func rescued(_ url: String, _ options: [String]) -> [String] {
        ["price-fallback"] + options + ["price-fetch --url \(url) binance", Self.rescue]
    }

    func start(_ words: [String]) -> RunningProgram {
        RunningProgram(words[0], Array(words.dropFirst()), environment: marked.environment)
    }

    /// Starts a program in its own mount namespace, where `file` is mounted over `place`.
    func start(_ words: [String], with file: String, over place: String) -> RunningProgram {
        let script = #"mount --bind "$0" "$1" && shift && exec "$@""#
        return start(["unshare", "-rm", "bash", "-c", script, file, place] + words)
    }

    private func words(_ url: String, _ timeout: String) -> [String] {
        ["price-fetch", "--timeout", timeout, "--url", url, "binance"]
    }

    /// The process IDs of the fetchers, that is, the running `price-fetch` processes.
    var fetchers: [Int32] { marked.living.filter { $0.value.hasPrefix("price-fetch") }.map(\.key) }

    /// Sends a signal to all fetchers and returns their process IDs.
    @discardableResult func signalFetchers(_ signal: Int32) -> [Int32] {
        let signaled = fetchers
        for fetcher in signaled { kill(fetcher, signal) }
        return signaled
    }

    /// Whether `running` replaces all these fetchers with new fetchers before `patience` runs out.
    func isReplaced(_ old: [Int32], by running: RunningProgram) -> Bool {
        running.waitUntil { !fetchers.isEmpty && Set(fetchers).isDisjoint(with: old) }
    }
}

extension StubServer.Answer {
    /// A good answer from Binance.
    static let quote = ok(FetchUnderTest.goodBody)
}
