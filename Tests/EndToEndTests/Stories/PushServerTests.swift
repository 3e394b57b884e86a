import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `price-fetch --push` with a second real WebSocket server, which is not websocketd.
@Suite(.endToEnd, .enabled(if: PythonFeed.isInstalled, "needs python3-websockets")) struct PushServerTests {
    /// Waits until a tick of each symbol has the price of the given beat of the feed, or a later one.
    private func expectPrices(from feed: PythonFeed, environment: [String: String] = [:]) throws {
        let running = RunningProgram(
            "price-fetch", ["--push", "--timeout", "10s", "--url", feed.url, "binance"],
            environment: environment)
        var prices: [String: [Double]] = [:]
        for tick in 0..<6 {
            for symbol in ["BTC-USD", "ETH-USD"] {
                running.write(#"{"tick":\#(tick),"symbol":"\#(symbol)"}"# + "\n")
                let reading = try running.nextReading()
                let price = try #require(reading.quote?.price.text, "\(reading.text) \(running.errors)")
                prices[symbol, default: []].append(Double(price)!)
            }
            running.wait(.milliseconds(50))
        }
        // Each price is of its symbol, and new ones come because pings were answered.
        for (symbol, first) in [("BTC-USD", 100.5), ("ETH-USD", 200.5)] {
            let seen = try #require(prices[symbol])
            #expect(seen == seen.sorted() && Set(seen).count > 1)
            #expect(seen.allSatisfy { (first..<first + 99).contains($0) }, "\(seen)")
        }
        #expect(running.finish().status == 0)
    }

    @Test(.fault(47)) func `prices in fragments arrive, and the server's pings are answered`() throws {
        try expectPrices(from: PythonFeed())
    }

    @Test(.fault(47), .enabled(if: FetchUnderTest.hasOpenSSL, "needs openssl"))
    func `so they do over TLS with a private authority`() throws {
        let environment = ["SSL_CERT_FILE": Certificates.shared.authority]
        try expectPrices(from: PythonFeed(certificate: "good"), environment: environment)
    }
}
