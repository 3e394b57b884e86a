import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Bodies that do not contain the requested price.
@Suite(.endToEnd) struct MalformedBodyFaultTests {
    private let fetch = FetchUnderTest()

    /// Sends one program a tick for each body, and at the end one for a good body.
    private func refuses(_ bodies: [[UInt8]], source: [String], good: String) throws {
        let server = StubServer(.silence)
        let running = fetch.start(["price-fetch", "--timeout", "20s", "--url", server.url()] + source)
        for (tick, body) in bodies.enumerated() {
            server.answer(with: .ok(body))
            #expect(
                try running.failure(at: tick).kind == .invalidData, "\(String(decoding: body, as: UTF8.self))"
            )
        }
        server.answer(with: .ok(good))
        #expect(try running.answer().quote != nil)
        #expect(server.requests.count == bodies.count + 1 && running.finish().status == 0)
    }

    private func refuses(_ bodies: [String], source: String) throws {
        try refuses(bodies.map { Array($0.utf8) }, source: [source], good: Self.bodies[source]!)
    }

    private static let bodies = [
        "binance": #"{"symbol":"BTCUSDT","price":"114721.34000000"}"#,
        "cryptocompare":
            #"{"RAW":{"MARKET":"CUSTOMAGG","FROMSYMBOL":"BTC","TOSYMBOL":"USD","PRICE":103457.51,"LASTUPDATE":4102444800},"DISPLAY":{"PRICE":"$ 103,457.5"}}"#,
        "coinbase": #"{"ask":"92066.96","price":"92066.955","time":"2100-01-01T00:00:00.123456Z"}"#,
        "kraken": #"{"error":[],"result":{"XXBTZUSD":{"a":["92067.1","1"],"c":["92066.90000","0.0010"]}}}"#,
        "bitstamp": #"{"timestamp":"4102444800","open":"91000","last":"92066","bid":"92065"}"#,
    ]

    @Test(.fault(9), arguments: bodies.keys.sorted())
    func `a body that is not the source's quote is rejected`(source: String) throws {
        let good = Self.bodies[source]!
        let nested = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let first = good.prefix(while: { $0 != ":" }).dropFirst()
        let cut = String(good.dropLast())
        let texts: [String] = [
            "", " \n", "null", "[]", "{}", "\u{0}", "68901.23", "<!DOCTYPE html><html>Sorry</html>", cut,
            String(good.prefix(good.count / 2)), "\(good)}", "\(good)\(good)", "\(good)\u{0}",
            "\u{FEFF}\(good)", "[\(good)]", "{\(first):1,\(good.dropFirst())", "\(cut),}",
            "\(cut),\"deep\":\(nested)}", String(repeating: "[", count: 513),
            good.replacing("\"", with: "'"), "\(cut),\"x\":\"\t\"}",
            #"{"Response":"Error","Message":"An internal error"}"#, #"{"error":["EGeneral:Internal error"]}"#,
            #"{"code":-1121,"msg":"Invalid symbol."}"#,
        ]
        let notUTF8: [UInt8] = Array("\(cut),\"x\":\"".utf8) + [0xC3] + Array("\"}".utf8)
        let noise: [[UInt8]] = [[0xFF, 0xFE, 0x7B, 0x00], notUTF8, [0x1F, 0x8B, 0x08, 0x00, 0x00]]
        try refuses(texts.map { Array($0.utf8) } + noise, source: [source], good: good)
    }

    @Test(.fault(9), arguments: bodies.keys.sorted())
    func `a price that is read from a damaged body is really in it`(source: String) {
        let chosen = PriceSource.all.first { $0.name == source }!
        let body = Array(Self.bodies[source]!.utf8)
        let names = [
            "binance": ["BTCUSDT"], "cryptocompare": ["BTC", "USD"], "coinbase": [],
            "kraken": ["[XZ]?XBT[XZ]?USD"], "bitstamp": [],
        ][source]!
        var random = SeededRandom(2026)
        var taken = 0
        for _ in 0..<FullSize.count(short: 1000, full: 20_000) {
            // When
            let mutated = random.mutation(of: body)
            let response = HTTPResponse(status: 200, body: mutated)
            let prices = try? chosen.prices(of: [chosen.market(of: .bitcoin)], in: response, at: .now())
            guard let price = prices?.values.first else { continue }
            taken += 1
            // Then
            let text = String(decoding: mutated, as: UTF8.self)
            let isPrice =
                price.text.wholeMatch(of: /[0-9]{1,12}(\.[0-9]{1,12})?/) != nil && Double(price.text)! > 0
            let isQuote =
                isPrice && text.contains(price.text)
                && names.allSatisfy { (try? Regex("\"\($0)\"")).map(text.contains) == true }
            #expect(isQuote, "\(price.text) from \(text)")
        }
        #expect(taken > 0)
    }

    @Test(
        .fault(10),
        arguments: [
            (
                "binance",
                [
                    #"{"symbol":"ETHUSDT","price":"3012.55"}"#, #"{"symbol":"BTCEUR","price":"90123.1"}"#,
                    #"{"symbol":"btcusdt","price":"1.5"}"#, #"{"symbol":"BTCUSDT ","price":"1.5"}"#,
                    #"{"symbol":["BTCUSDT"],"price":"1.5"}"#, #"{"price":"1.5"}"#,
                ]
            ),
            (
                "cryptocompare",
                [
                    #"{"RAW":{"FROMSYMBOL":"ETH","TOSYMBOL":"USD","PRICE":3012.55}}"#,
                    #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"EUR","PRICE":90123.1}}"#,
                    #"{"RAW":{"FROMSYMBOL":"BTC","PRICE":90123.1}}"#,
                    #"{"RAW":{"TOSYMBOL":"USD","PRICE":90123.1}}"#,
                ]
            ),
            (
                "kraken",
                [
                    #"{"error":[],"result":{"XETHZUSD":{"c":["3012.55","1"]}}}"#,
                    #"{"error":[],"result":{"XXBTZEUR":{"c":["90123.1","1"]}}}"#,
                    #"{"error":[],"result":{"XXBTZUSD":{"c":["1.1","1"]},"XETHZUSD":{"c":["2.2","1"]}}}"#,
                    #"{"error":[],"result":{}}"#,
                ]
            ),
        ])
    func `the price of another asset, or in another currency, is rejected`(source: String, bodies: [String])
        throws
    {
        try refuses(bodies, source: source)
    }

    @Test(.fault(45)) func `an old answer from a cache is rejected`() throws {
        let server = StubServer(.ok(Array(FetchUnderTest.goodBody.utf8), headers: ["age: 3600"]))
        let running = fetch.start(server.url())
        let failure = try running.failure()
        #expect(failure.kind == .invalidData && failure.message.hasSuffix("Z, more than 60 s ago"))
        server.answer(with: .ok(Array(FetchUnderTest.goodBody.utf8), headers: ["age: 5"]))
        #expect(try running.answer().quote != nil)
    }

    @Test(.fault(11)) func `a malformed price is rejected, as text and as a bare number`() throws {
        let prices = [
            "-1", "-68901.23", "0", "-0", "0.0", "0.000000000000", "NaN", "nan", "Infinity", "-Infinity",
            "1e400",
            "1e5", "1E2", "1,234.5", "1.234,5", "1abc", "0x1F", " 1", "1 ", "+1", ".5", "5.", "1..5", "1.2.3",
            "",
            "６８９０１", "٦٨٩", String(repeating: "9", count: 60), "1234567890123", "0.0000000000001", "null",
            "true",
            "false", "$1", "1\\u0000", "１.５", "[]", "{}", "[1.5]",
        ]
        // A bare number may have spaces around it, or an exponent.
        let bare = prices.filter { !["1", "1e5", "1E2"].contains($0.trimmingCharacters(in: .whitespaces)) }
        let bodies = prices.map { "{\"p\":\"\($0)\"}" } + bare.map { "{\"p\":\($0)}" }
        try refuses(bodies.map { Array($0.utf8) }, source: ["--price", "/p"], good: #"{"p":"1.5"}"#)
    }
}
