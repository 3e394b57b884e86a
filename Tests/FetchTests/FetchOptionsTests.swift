import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

@Suite(.unit) struct FetchOptionsTests {
    private func options(_ words: String...) throws -> FetchOptions {
        try FetchOptions(parsing: words)
    }

    private func source(_ words: String...) throws -> PriceSource {
        guard case .source(let source) = try FetchOptions(parsing: words).origin else {
            throw UsageError("not the mode for ticks")
        }
        return source
    }

    @Test func `by default a source uses its own address and a timeout of 800 ms`() throws {
        #expect(try options("binance").timeout == .milliseconds(800))
        #expect(try source("binance").request(.bitcoin) == PriceSource.binance.request(.bitcoin))
    }

    @Test func `another address must return the same payload`() throws {
        let sut = try source("--url", "http://127.0.0.1:8000/p.json", "kraken")
        #expect(sut.name == "kraken")
        #expect(try sut.request(.bitcoin).url.text == "http://127.0.0.1:8000/p.json")
        #expect(try sut.price(in: Payload.kraken.utf8, .bitcoin).0.text == "92066.90000")
    }

    @Test(arguments: [
        "http://127.0.0.1:8000", "http://127.0.0.1:8000/", "http://[::1]/a", "http://[::1]/a//",
    ])
    func `another host uses the source's paths, for all symbols`(base: String) throws {
        let sut = try options("--base", base, "binance")
        guard case .source(let source)? = sut.origin else { throw UsageError("not a source") }
        #expect(sut.onlySymbol == nil)
        let url = try source.request(Symbol("ETH-USD")!).url.text
        let start = base.replacing(/\/+$/, with: "")
        #expect(url == "\(start)/api/v3/ticker/price?symbol=ETHUSDT&symbolStatus=TRADING")
    }

    @Test(arguments: PriceSource.all.map(\.name))
    func `each source keeps its paths and headers on another host`(name: String) throws {
        let (own, other) = (try source(name), try source("--base", "https://example.com", name))
        let path = try own.request(.bitcoin).url.text.replacing(/^https:\/\/[^\/]+/, with: "")
        #expect(try other.request(.bitcoin).url.text == "https://example.com\(path)" && path.count > 5)
        #expect(try other.request(.bitcoin).headers == own.request(.bitcoin).headers)
    }

    @Test(arguments: [
        (["--url", "http://x/", "binance"], "binance"), (["--url", "http://x/", "--price", "/p"], "x"),
        (["--stream", "cat", "--price", "/p"], "stream"),
    ])
    func `a fixed address or a stream prices one symbol, by default BTC-USD`(
        words: [String], name: String
    ) throws {
        let plain = try FetchOptions(parsing: words)
        #expect(plain.origin?.name == name && plain.onlySymbol == .bitcoin)
        for symbol in [nil, "BTC-USD"] { #expect(plain.refusal(of: anyTick(symbol: symbol)) == nil) }
        for symbol in ["ETH-USD", "BTC-EUR", "BTC", "btc-usd"] {
            let tick = anyTick(symbol: symbol)
            let refusal = FetchError(.unsupported, "prices BTC-USD only", retry: .seconds(60))
            #expect(plain.refusal(of: tick) == refusal)
        }
        let given = try FetchOptions(parsing: words + ["--symbol", "ETH-EUR"])
        #expect(given.onlySymbol == Symbol("ETH-EUR"))
    }

    @Test(arguments: [
        ["cryptocompare"], ["echo"], ["--push", "binance"], ["--url", "http://x/", "binance"],
        ["--url", "http://x/", "--price", "/a", "--name", "n"], ["--stream", "cat", "--price", "/a"],
    ])
    func `a source without candles rejects them immediately`(words: [String]) throws {
        let options = try FetchOptions(parsing: words)
        let refusal = FetchError(.unsupported, "has no candles", retry: .seconds(60))
        #expect(options.refusal(of: candleTick()) == refusal)
        #expect(options.refusal(of: anyTick()) == nil)
    }

    @Test(arguments: PriceSource.all.filter { $0.candles != nil }.map(\.name))
    func `an exchange with candles does not reject them, on another host either`(name: String) throws {
        for words in [[name], ["--base", "http://127.0.0.1/", name]] {
            #expect(try FetchOptions(parsing: words).refusal(of: candleTick(symbol: "ETH-EUR")) == nil)
        }
    }

    @Test func `a named source prices all symbols, and --once requests the given one`() throws {
        #expect(try options("--once", "--symbol", "eth-usd", "kraken").symbol == Symbol("ETH-USD"))
        let sut = try options("--once", "--symbol", "ETH-USD", "kraken")
        #expect(sut.onlySymbol == nil && sut.symbol == Symbol("ETH-USD"))
        #expect(try options("--once", "kraken").symbol == nil)
    }

    @Test func `the symbol of a custom price need not be a pair`() throws {
        #expect(
            try options("--url", "http://x/", "--price", "/p", "--symbol", "GOLD").symbol == Symbol("GOLD"))
        let sut = try source("--url", "http://x/", "--price", "/p", "--symbol", "GOLD")
        #expect(try sut.market(of: Symbol("GOLD")!).base == "GOLD")
    }

    @Test(arguments: [
        (
            ["btc"],
            "unknown source 'btc': expected \(known), as in 'price-fetch --once --symbol BTC-USD binance'"
        ),
        (
            ["Kraken", "$sol"],
            "unknown source 'Kraken': expected \(known), as in 'price-fetch --once --symbol BTC-USD binance'"
        ),
        (["--base", "http://x", "echo"], "--base cannot be combined with echo: --url is its server"),
        (
            ["--push"],
            "missing SOURCE: expected \(known), as in 'price-fetch --push --once --symbol BTC-USD binance'"
        ),
        (
            ["--once"],
            "missing SOURCE: expected \(known), as in 'price-fetch --once --symbol BTC-USD binance'"
        ),
        (
            ["kraken", "ETH/EUR"],
            "unexpected argument 'ETH/EUR': expected one source, as in 'price-fetch --once --symbol BTC-USD binance'"
        ),
        (
            ["eth-usd", "--once"],
            "unknown source 'eth-usd': expected \(known), as in 'price-fetch --once --symbol BTC-USD binance'"
        ),
        (
            ["--symbol", "BTC/USD", "--once", "binance"],
            "invalid value 'BTC/USD' for --symbol: expected a symbol such as BTC-USD"
        ),
        (
            ["--symbol", "eth/usd", "--once", "binance"],
            "invalid value 'eth/usd' for --symbol: expected a symbol such as BTC-USD"
        ),
        (
            ["--symbol", "BTC", "--once", "binance"],
            "invalid value 'BTC' for --symbol: expected a symbol such as BTC-USD"
        ),
        (
            ["--symbol", "ETH-USD", "kraken"],
            "--symbol requires --once, --url or --stream; otherwise ticks name it: "
                + "'price-clock --symbol ETH-USD | price-fetch kraken'"
        ),
        (
            ["--base", "data-api.binance.vision", "binance"],
            "invalid value 'data-api.binance.vision' for --base: "
                + "expected a URL without a query, such as https://data-api.binance.vision"
        ),
        (
            ["--once", "--url", "http://x/p.json"],
            "--url requires SOURCE or --price, as in '--price /data/0/last'"
        ),
        (
            ["--url", "example.com/p.json", "binance"],
            "invalid value 'example.com/p.json' for --url: "
                + "expected a URL such as https://example.com/price.json"
        ),
    ])
    func `a wrong guess gets a message with a command that works`(words: [String], message: String) {
        #expect(throws: UsageError(message)) { try FetchOptions(parsing: words) }
    }

    private static let known = "\(PriceSource.all.map(\.name).joined(separator: ", ")) or echo"

    @Test func `any address with a JSON pointer is a source, named after its host or by --name`() throws {
        let words = ["--url=http://127.0.0.1:8000/p.json", "--price=/a/0"]
        let sut = try source(words[0], words[1])
        #expect(sut.name == "127.0.0.1")
        #expect(try sut.price(in: #"{"a":[12.50]}"#.utf8, .bitcoin).0.text == "12.50")
        #expect(try sut.price(in: #"{"a":["12.50"]}"#.utf8, Symbol("BTC-EUR")!).1.code == "EUR")
        #expect(try source(words[0], words[1], "--name", "mine").name == "mine")
    }

    @Test func `--once and --list are modes of their own`() throws {
        #expect(try options("--once", "binance").isOnce)
        #expect(try options("--list").origin == nil)
    }

    @Test(arguments: [
        [], ["nobody"], ["binance", "kraken"], ["--price", "/p"], ["--name", "x", "binance"],
        ["--url", "ftp://x/y", "binance"],
        ["--url", "nonsense", "binance"], ["--url", "http://x/", "--price", "p"], ["--url", "http://x/"],
        ["--url", "http://x/", "--price", "/p", "binance"], ["--timeout", "0", "binance"],
        ["--url", "http://x/", "--price", "/p", "--name", "a\u{1B}b"],
        ["--stream", "cat"], ["--stream", "", "--price", "/p"],
        ["--stream", "cat", "--price", "/p", "binance"],
        ["--stream", "cat", "--price", "/p", "--url", "http://x/"], ["--max-age", "5s", "binance"],
        ["--base", "http://x", "--url", "http://x/", "binance"], ["--base", "http://x/?a=1", "binance"],
        ["--base", "http://x/#a", "binance"], ["--base", "ftp://x", "binance"], ["--base", "", "binance"],
        ["--base", "http://x", "--stream", "cat", "--price", "/p"], ["--base", "http://x"],
        ["--symbol", "", "--once", "binance"], ["--symbol", "../x", "--url", "http://x/", "--price", "/p"],
        ["--stream", "cat", "--price", "/p", "--max-age", "0"], ["--seed", "7", "binance"],
    ])
    func `wrong usage is rejected`(words: [String]) {
        #expect(throws: UsageError.self) { try FetchOptions(parsing: words) }
    }
}
