import Foundation
import PipeCommon
import Testing

@testable import TestSupport
@testable import price_fetch

/// Sample messages of an exchange, and the checks that each exchange must pass with them. The messages come
/// from its documentation or were recorded by others; the exchange's test file has them, with their origin.
struct ExchangeSample {
    struct Candles {
        /// The longest candles that are requested.
        var longest = Candle.day
        /// The end of the URL for three of them, from 2026-11-20 on.
        let path: String
        /// An answer; the length of its candles; the beginning of one of them in milliseconds, and its open, high,
        /// low, close and volume.
        let answer: (body: String, candle: Candle, beginning: Int, values: String)
        /// An answer with these rows, in this order.
        let page: (_ rows: [(beginning: Timestamp, close: String)]) -> String
    }

    struct Push {
        /// The request that subscribes to BTC-USD, and also to ETH-EUR if one request can do both.
        let request: String
        /// Messages and their meanings; the first accepts the request.
        let messages: [(text: String, meaning: PushSource.Message)]
        /// The message with a price of BTC-USD at a time.
        let price: (_ price: String, _ time: Timestamp) -> String
        /// Messages whose price must not be used.
        let unreadable: [String]
    }

    let source: PriceSource
    /// The URL for the price of BTC-USD.
    let address: String
    /// The exchange's names for BTC-USD and ETH-EUR; nil if it has none.
    var markets: [String]?
    /// An answer for BTC-USD, and the price in it.
    let answer: (body: String, price: String)
    /// Answers with status 200 but without a price of BTC-USD: for another market, or in another format.
    let others: [String]
    let refusals: [(status: Int, body: String, kind: Failure.Kind)]
    var candles: Candles?
    var push: Push?

    private var market: Market { try! source.market(of: .bitcoin) }

    // MARK: Prices

    func checkPrices() throws {
        let url = try source.plan(for: [market]).request.get().url.text
        #expect(url == address)
        let names = try source.market.map { _ in
            [market.name, try source.market(of: Symbol("ETH-EUR")!).name]
        }
        #expect(names == markets)
        #expect(kind(of: answer.body) == nil)
        for other in others + Self.malformed(answer.body) { #expect(kind(of: other) != nil, "\(other)") }
        for (status, body, expected) in refusals {
            #expect(kind(of: body, status: status) == expected, "\(status) \(body)")
        }
        let server = StubServer(.ok(try answer(at: .now())))
        let result = fetch(["--once", "--base", server.url("")])
        let quote = try result.readings().first?.quote
        #expect(quote?.price.text == answer.price && quote?.market?.text == markets?[0])
        #expect(result.status == 0 && result.errors == "" && server.requests.count == 1)
        #expect(server.requests.first.map { url.hasSuffix($0.path) } == true)
    }

    /// Only a recent time in the declared unit is accepted.
    func checkTimes() throws {
        guard let time = source.time else { return }
        let text = try text(at: time)
        for wrong in [text + "000", String(text.dropLast(3)), "-\(text)", "\(text).5", "soon", "null"] {
            let body = answer.body.replacingOccurrences(of: text, with: wrong)
            #expect(kind(of: body) == .invalidData, "\(wrong)")
        }
        let body = answer.body.replacingOccurrences(of: "\"\(text)\"", with: "null")
            .replacingOccurrences(of: text, with: "null")
        #expect(kind(of: body) == .invalidData)
        #expect(kind(of: answer.body, after: source.oldest) == nil)
        #expect(kind(of: answer.body, after: source.oldest + .seconds(1)) == .invalidData)
    }

    /// The kind of failure of an answer that arrives this long after the sample was made; nil for a price.
    private func kind(of body: String, status: Int = 200, after age: Duration = .zero) -> Failure.Kind? {
        let made = source.time.flatMap { try? $0.time(in: JSON(parsing: answer.body.utf8)) } ?? anyTime()
        let response = HTTPResponse(status: status, body: Array(body.utf8))
        do throws(FetchError) {
            let prices = try source.prices(of: [market], in: response, at: made + age)
            #expect(prices[market]?.text == answer.price)
            return nil
        } catch {
            return error.kind
        }
    }

    private func text(at time: TimeField) throws -> String {
        let value = try time.place.value(in: JSON(parsing: answer.body.utf8))
        return try #require(value?.string ?? value?.number)
    }

    /// The sample's answer, with this time in place of its own.
    private func answer(at time: Timestamp) throws -> String {
        guard let field = source.time else { return answer.body }
        let now =
            switch field.form {
            case .seconds: "\(time.milliseconds / 1000)"
            case .milliseconds: "\(time.milliseconds)"
            case .microseconds: "\(time.milliseconds)000"
            case .nanoseconds: "\(time.milliseconds)000000"
            case .rfc3339: time.text
            }
        return try answer.body.replacingOccurrences(of: text(at: field), with: now)
    }

    private static func malformed(_ good: String) -> [String] {
        let cut = String(good.dropLast())
        return [
            "", "null", "[]", "{}", "68901.23", "<html>Sorry</html>", cut, "\(good)}", "\(good)\(good)",
            "[\(good)]", "\(cut),}", good.replacingOccurrences(of: "\"", with: "'"),
        ]
    }

    // MARK: Candles

    func checkCandles() throws {
        let (sample, candles) = (try #require(self.candles), try #require(source.candles))
        let first = Timestamp("2026-11-20T00:00:00.000Z")!
        let span = CandleSpan(candle: sample.longest, first: first, count: 3)
        let lengths = Candle.allCases.filter { $0.length <= sample.longest.length }
        let url = try source.plan(for: span, of: market, from: candles).request.get().url.text
        #expect(url.hasSuffix(sample.path), "\(url)")
        #expect(
            Set(lengths.map { candles.url(market, CandleSpan(candle: $0, first: first, count: 1)) }).count
                == lengths.count)
        #expect((candles.refusal(of: .day, from: first, at: first) == nil) == (sample.longest == .day))
        let page = try CandlePage(
            JSON(parsing: sample.answer.body.utf8), of: market, sample.answer.candle, from: candles,
            received: anyTime())
        let beginning = Timestamp(milliseconds: sample.answer.beginning)
        let candle = try page.candle(of: beginning)
        let range = [candle.range.open?.text, candle.range.high?.text, candle.range.low?.text]
        let values = range + [candle.close.text, candle.range.volume?.text]
        #expect(values == sample.answer.values.split(separator: " ").map(String.init))
        for other in ["{}", "[7]", "null", answer.body] {
            #expect(throws: InvalidInput.self, "\(other)") {
                try CandlePage(
                    JSON(parsing: other.utf8), of: market, sample.longest, from: candles, received: anyTime())
            }
        }
        try checkBurst(sample, newestFirst: true)
        try checkBurst(sample, newestFirst: false)
    }

    /// Expects that the last 31 candles and the open one take one request, and each price comes from its own
    /// candle.
    private func checkBurst(_ sample: Candles, newestFirst: Bool) throws {
        let (candle, length) = (sample.longest, sample.longest.length)
        let open = candle.beginning(of: .now())
        let rows = (0..<40).map { (open + length * -$0, "\(1000 + $0).50") }
        let server = StubServer(.ok(sample.page(newestFirst ? rows : rows.reversed())))
        let ticks = (0..<32).map { Tick(number: $0, at: rows[$0].0, candle: candle) }
        let result = fetch(["--base", server.url("")], input: ticks.map { $0.text + "\n" }.joined())
        let quotes = try result.readings().sorted { $0.tick! < $1.tick! }.map(\.quote)
        #expect(quotes.map(\.?.price.text) == rows.prefix(32).map(\.1))
        #expect(quotes.dropFirst().map(\.?.timestamp) == rows.prefix(31).map(\.0))
        #expect(result.status == 0 && result.errors == "" && server.requests.count == 1)
    }

    // MARK: Feed

    func checkFeed() throws {
        let (sample, push) = (try #require(self.push), try #require(source.push))
        let markets = try ["BTC-USD", "ETH-EUR"].map { push.name(try source.market(of: Symbol($0)!)) }
        let count = push.needsOwnMessages ? 1 : push.largestBatch
        #expect(push.request(.subscribe, Array(markets.prefix(count))) == sample.request)
        for (text, meaning) in sample.messages { #expect(try message(text) == meaning, "\(text)") }
        let now = Timestamp.now()
        guard case .price(let price, markets[0], _, now) = try message(sample.price("68901.5", now)) else {
            Issue.record("\(try message(sample.price("68901.5", now))) is not the price of \(markets[0])")
            return
        }
        #expect(price.text == "68901.5")
        let wrong = sample.unreadable + [sample.price("-1", now), sample.price("0", now)]
        for text in wrong {
            guard case .unreadable = try message(text) else {
                Issue.record("readable: \(text)")
                continue
            }
        }
        let quote = try reading(from: sample.price("68901.5", now)).quote
        #expect(quote?.price.text == "68901.5" && quote?.market?.text == markets[0])
        let old = now + (.zero - push.oldestPrice) + .seconds(-1)
        #expect(
            try reading(from: sample.price("1.5", old), within: "500ms").failures.map(\.kind) == [.timeout])
    }

    private func message(_ text: String) throws -> PushSource.Message {
        let push = try #require(source.push)
        if text == push.heartbeat?.answer { return .heartbeat }
        let message = try push.message(JSON(parsing: text.utf8))
        if case .several(let messages) = message, messages.count == 1 { return messages[0] }
        return message
    }

    /// The program's reading after the first message of the sample and another message.
    private func reading(from text: String, within limit: String = "9s") throws -> Reading {
        let frames = try [#require(push).messages[0].text, text].flatMap { ServerSide.frame(1, $0.utf8) }
        let server = StubServer.upgrading(.call { usleep(200_000) }, .send(frames), .wait(.seconds(10)))
        let url = "ws://127.0.0.1:\(server.port)/"
        return try #require(fetch(["--once", "--push", "--url", url], within: limit).readings().first)
    }

    private func fetch(
        _ words: [String], within limit: String = "9s", input: String = ""
    ) -> RunningProgram.Result {
        RunningProgram.run("price-fetch", ["--timeout", limit] + words + [source.name], input: input)
    }
}
