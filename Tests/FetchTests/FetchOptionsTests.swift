import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

@Suite(.unit) struct FetchOptionsTests {
    /// - Parameter line: the arguments of `price-fetch`, separated by spaces.
    private func options(_ line: String) throws -> FetchOptions {
        try FetchOptions(parsing: line.split(separator: " ").map(String.init))
    }

    private func source(_ line: String) throws -> PriceSource {
        guard case .source(let source) = try options(line).origin else { throw UsageError("not polled") }
        return source
    }

    @Test func `by default, a source uses its own address and a timeout of 800 ms`() throws {
        #expect(try options("binance").timeout == .milliseconds(800))
        #expect(try source("binance").request(.bitcoin) == PriceSource.binance.request(.bitcoin))
    }

    @Test func `a source at another address keeps its name and its format`() throws {
        let sut = try source("--url http://127.0.0.1:8000/p.json kraken")
        #expect(try sut.request(.bitcoin).url.text == "http://127.0.0.1:8000/p.json" && sut.name == "kraken")
        #expect(try sut.price(in: #"{"error":[],"result":{"XXBTZUSD":{"c":["9.50"]}}}"#).text == "9.50")
    }

    @Test(arguments: ["http://127.0.0.1:80", "http://127.0.0.1:80/", "http://[::1]/a", "http://[::1]/a//"])
    func `with --base, requests for all symbols use the source's paths on another host`(base: String) throws {
        let url = try source("--base \(base) binance").request(Symbol("ETH-USD")!).url.text
        let start = base.replacing(/\/+$/, with: "")
        #expect(url == "\(start)/api/v3/ticker/price?symbol=ETHUSDT&symbolStatus=TRADING")
        #expect(try options("--base \(base) binance").onlySymbol == nil)
    }

    @Test(arguments: PriceSource.all.map(\.name))
    func `each source keeps its paths and headers on another host`(name: String) throws {
        let (own, other) = (try source(name), try source("--base https://example.com \(name)"))
        let path = try own.request(.bitcoin).url.text.replacing(/^https:\/\/[^\/]+/, with: "")
        #expect(try other.request(.bitcoin).url.text == "https://example.com\(path)" && path.count > 5)
        #expect(try other.request(.bitcoin).headers == own.request(.bitcoin).headers)
    }

    @Test(arguments: [
        ("--url http://x/ binance", "binance"), ("--url http://x/ --price /p", "x"),
        ("--stream cat --price /p", "stream"),
    ])
    func `a fixed address or a stream provides prices only for the symbol in --symbol, by default BTC-USD`(
        line: String, name: String
    ) throws {
        let plain = try options(line)
        #expect(plain.origin?.name == name && plain.onlySymbol == .bitcoin)
        for symbol in [nil, "BTC-USD"] { #expect(plain.refusal(of: anyTick(symbol: symbol)) == nil) }
        let refusal = FetchError(.unsupported, "provides prices only for BTC-USD", retry: .seconds(60))
        for symbol in ["ETH-USD", "BTC-EUR", "BTC", "btc-usd"] {
            #expect(plain.refusal(of: anyTick(symbol: symbol)) == refusal)
        }
        #expect(try options("\(line) --symbol ETH-EUR").onlySymbol == Symbol("ETH-EUR"))
    }

    @Test(arguments: [
        ("cryptocompare", ""), ("echo", ""), ("--push binance", " with --push"),
        ("--url http://x/ binance", " with --url"), ("--url http://x/ --price /a --name n", " with --url"),
        ("--stream cat --price /a", ""),
    ])
    func `a source without candles rejects only ticks for candles`(line: String, option: String) throws {
        let refusal = FetchError(.unsupported, "does not provide candles\(option)", retry: .seconds(60))
        #expect(try options(line).refusal(of: candleTick()) == refusal)
        #expect(try options(line).refusal(of: anyTick()) == nil)
    }

    @Test(arguments: PriceSource.all.filter { $0.candles != nil }.map(\.name))
    func `an exchange with candles does not reject ticks for candles, even on another host`(name: String)
        throws
    {
        for line in [name, "--base http://127.0.0.1/ \(name)"] {
            #expect(try options(line).refusal(of: candleTick(symbol: "ETH-EUR")) == nil)
        }
    }

    @Test func `with --once, --symbol selects the symbol that a built-in source quotes`() throws {
        #expect(try options("--once --symbol eth-usd kraken").symbol == Symbol("ETH-USD"))
        #expect(try options("--once --symbol eth-usd kraken").onlySymbol == nil)
        #expect(try options("--once kraken").symbol == nil)
    }

    @Test func `the symbol of a custom source need not be a pair`() throws {
        let line = "--url http://x/ --price /p --symbol GOLD"
        #expect(try options(line).symbol == Symbol("GOLD"))
        #expect(try source(line).market(of: Symbol("GOLD")!).base == "GOLD")
    }

    @Test func `with --price, any URL acts as a source named after its host unless --name is given`() throws {
        let line = "--url=http://127.0.0.1:8000/p.json --price=/a/0"
        let sut = try source(line)
        #expect(sut.name == "127.0.0.1")
        for body in [#"{"a":[12.50]}"#, #"{"a":["12.50"]}"#] {
            #expect(try sut.price(in: body, Symbol("BTC-EUR")!).text == "12.50")
        }
        #expect(try sut.market(of: Symbol("BTC-EUR")!).currency.code == "EUR")
        #expect(try source("\(line) --name mine").name == "mine")
    }

    @Test func `--once is accepted with a source, and --list without a source`() throws {
        #expect(try options("--once binance").isOnce && options("--list").origin == nil)
    }

    private static let example = "as in 'price-fetch --once --symbol BTC-USD binance'"
    private static let exchanges = PriceSource.all.map(\.name)
    private static let pushing = PriceSource.all.filter { $0.push != nil }.map(\.name)
    private static let known = either(exchanges + ["echo"])
    private static func either(_ names: [String]) -> String {
        "expected \(names.dropLast().joined(separator: ", ")) or \(names.last!)"
    }

    @Test(arguments: [
        ("", "missing SOURCE: \(known), \(example)"), ("--once", "missing SOURCE: \(known), \(example)"),
        ("btc", "unknown source 'btc': \(known), \(example)"),
        ("--base http://x", "missing SOURCE: \(either(exchanges)), \(example)"),
        ("Kraken $sol", "unknown source 'Kraken': \(known), \(example)"),
        ("eth-usd --once", "unknown source 'eth-usd': \(known), \(example)"),
        ("--push", "missing SOURCE: \(either(pushing)), \(example.replacing("fetch", with: "fetch --push"))"),
        (
            "--push echo",
            "echo has no push feed; sources with a push feed: \(pushing.joined(separator: ", "))"
        ),
    ])
    func `the message for a missing or wrong source lists the valid sources`(line: String, message: String) {
        #expect(throws: UsageError(message)) { try options(line) }
    }
}
