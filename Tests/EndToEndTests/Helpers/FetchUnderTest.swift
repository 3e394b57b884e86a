import Foundation
import TestSupport

/// `price-fetch` as the fault tests start it: on its own, or as the primary of `price-fallback`.
struct FetchUnderTest {
    let marked = MarkedProcesses()

    /// What Binance answers when all is well.
    static let goodBody = #"{"symbol":"BTCUSDT","price":"68901.23"}"#
    /// The same with its header, byte by byte.
    static let goodAnswer = "HTTP/1.1 200 OK\r\nContent-Length: \(goodBody.utf8.count)\r\n\r\n\(goodBody)"
    /// What Bitstamp answers now, whatever the symbol is.
    static var bodyOfAnySymbol: String {
        #"{"last":"68901.23","timestamp":"\#(Int(Date().timeIntervalSince1970))"}"#
    }
    /// A source that always has a quote.
    static let rescue = ShellSource.quoting("68890.00", as: "fallback")

    static let hasOpenSSL = Programs.has("openssl")
    static let canTrust = Programs.canMount && hasOpenSSL
    static let canNameServers = Programs.canMount && StubNameServer() != nil

    /// Asks Binance at another address.
    func start(_ url: String, timeout: String = "20s") -> RunningProgram {
        start(words(url, timeout))
    }

    /// Asks a source of its own, whose prices are at `/p`.
    func startCustom(_ url: String, timeout: String = "4s") -> RunningProgram {
        start(["price-fetch", "--timeout", timeout, "--url", url, "--price", "/p"])
    }

    /// Asks Binance on a machine that trusts the authority of the tests.
    func startTrusting(_ url: String, timeout: String = "20s") -> RunningProgram {
        startTrusting(words(url, timeout))
    }

    func startTrusting(_ words: [String]) -> RunningProgram {
        start(words, with: Certificates.shared.authority, over: "/etc/ssl/certs/ca-certificates.crt")
    }

    /// Asks Binance at another address, and has a rescue.
    func startRescued(_ url: String, _ options: String...) -> RunningProgram {
        start(rescued(url, options))
    }

    func rescued(_ url: String, _ options: [String]) -> [String] {
        ["price-fallback"] + options + ["price-fetch --url \(url) binance", Self.rescue]
    }

    func start(_ words: [String]) -> RunningProgram {
        RunningProgram(words[0], Array(words.dropFirst()), environment: marked.environment)
    }

    /// With a file over a file of the machine, seen by this program alone.
    func start(_ words: [String], with file: String, over place: String) -> RunningProgram {
        let script = #"mount --bind "$0" "$1" && shift && exec "$@""#
        return start(["unshare", "-rm", "bash", "-c", script, file, place] + words)
    }

    private func words(_ url: String, _ timeout: String) -> [String] {
        ["price-fetch", "--timeout", timeout, "--url", url, "binance"]
    }

    /// The fetchers that are running.
    var fetchers: [Int32] {
        marked.living.filter { $0.value.hasPrefix("price-fetch") }.map(\.key)
    }

    /// - Returns: the fetchers that have got the signal.
    @discardableResult func signalFetchers(_ signal: Int32) -> [Int32] {
        let signaled = fetchers
        for fetcher in signaled { kill(fetcher, signal) }
        return signaled
    }

    /// Waits until a fetcher runs in the place of others.
    func isReplaced(_ old: [Int32], by running: RunningProgram) -> Bool {
        running.waitUntil(within: .seconds(10)) { !fetchers.isEmpty && Set(fetchers).isDisjoint(with: old) }
    }
}

extension StubServer.Answer {
    /// What Binance answers when all is well.
    static let quote = ok(FetchUnderTest.goodBody)
}
