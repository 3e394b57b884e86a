import TestTraits
import Testing

@testable import price_fallback

/// The name of a source until its first reading.
@Suite(.unit) struct InitialNameTests {
    @Test(arguments: [
        ("price-fetch binance", "binance"), ("price-fetch  kraken --timeout 1s", "kraken"),
        ("price-cache --answer", "source 2"), ("price-cache", "source 2"),
        ("price-fetch", "source 2"), ("price-fetcher binance", "source 2"), ("./my-source", "source 2"),
        ("price-fetch --url 'http://host/?apikey=SECRET' --price /p", "source 2"),
        ("price-fetch 'http://host/?apikey=SECRET'", "source 2"), ("price-fetch $KEY", "source 2"),
        ("KEY=SECRET price-fetch binance", "source 2"),
    ])
    func `a source is named after its program's argument, or by its position`(command: String, name: String) {
        #expect(initialName(of: command, at: 2) == name)
    }

    @Test func `positions count from 1`() throws {
        #expect(
            try FallbackOptions(parsing: ["a", "price-fetch binance", "c"]).names == [
                "source 1", "binance", "source 3",
            ])
    }
}
